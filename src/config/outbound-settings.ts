import { setting } from './setting.ts'
import { hostList, noProxy, proxyUrl } from './setting-types.ts'

/** How foreign addresses are called. */
export const outboundSettings = {
  outboundAllowedHosts: setting(
    'OUTBOUND_ALLOWED_HOSTS',
    hostList(),
    null,
    'Hosts of the private network that may be called, for the whole deployment: sign-in providers, receivers of ' +
      'webhooks, issuers and verifiers. A listed address or network may be called whatever it is; a listed name ' +
      'may resolve to private addresses (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7), not to loopback or ' +
      'link-local ones. All other addresses that are not public stay refused. https is required as everywhere; a ' +
      'private certificate authority is named by NODE_EXTRA_CA_CERTS.',
  ),
  httpsProxy: setting(
    'HTTPS_PROXY',
    proxyUrl(),
    null,
    'Proxy for https addresses, called by CONNECT. Names are resolved here too and refused as without a proxy, ' +
      'but the proxy resolves them again: it must not reach the private network. It does not concern mail, ' +
      'database and PKCS #11.',
  ),
  httpProxy: setting(
    'HTTP_PROXY',
    proxyUrl(),
    null,
    'Proxy for https addresses where HTTPS_PROXY is not set: http addresses are called in development only, and ' +
      'on this machine.',
  ),
  noProxy: setting(
    'NO_PROXY',
    noProxy(),
    null,
    'Hosts that are called without the proxy: `*`, a name with the names below it, `*.` and a name, IP ' +
      'addresses, networks; each may end with a port. Loopback addresses need no entry.',
  ),
} as const
