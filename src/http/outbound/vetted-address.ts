import { isIP, type LookupFunction } from 'node:net'
import type { Config } from '../../config.ts'
import { Fault } from '../../fault.ts'
import { isGlobalAddress, isLoopbackAddress, isPrivateAddress } from './global-address.ts'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** What decides which addresses may be called. */
export type AddressPolicy = Pick<Config, 'isDevelopment' | 'outboundAllowedHosts'>

const PORT_PRIVILEGED_MAX = 1023
const PUBLIC_ONLY = 'It must name a public host, unless the operator of this server lists it in OUTBOUND_ALLOWED_HOSTS.'

/**
 * Parses and vets a URL that others chose. The returned object is used for the call, so the URL is parsed once. [9.2]
 *
 * @throws Fault `upstream.refused` if it is not an https URL, or contains a user name, or an IP address that the
 *   operator does not list. In development http and loopback addresses are allowed.
 */
export function vettedUrl(text: string, { isDevelopment, outboundAllowedHosts }: AddressPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw refused('It is not an absolute URL.')
  if (url.username !== '' || url.password !== '') throw refused('It carries a user name.')
  // A trailing dot is another spelling of the same host, by which our own address would pass as foreign.
  if (url.hostname.endsWith('.')) throw refused('The host name ends in a dot.')
  const host = bareHost(url)
  const isLoopback = isOnThisMachine(url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isDevelopment && isLoopback)) {
    throw refused('It must be https.')
  }
  if (isLoopback && isDevelopment) return url
  if (outboundAllowedHosts?.hasAddress(host) !== true && (isLoopback || isIP(host) !== 0)) throw refused(PUBLIC_ONLY)
  const port = Number(url.port || 443)
  if (port !== 443 && port <= PORT_PRIVILEGED_MAX) throw refused('The port is reserved for another service.')
  return url
}

/**
 * Returns the look-up for sockets. It returns vetted addresses only, and the socket connects to one of them, so a name
 * that resolves to another address later gains nothing. One forbidden address refuses the name.
 */
export function vettedLookup(resolve: Resolve, policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: Error) => callback(Object.assign(error, { code: 'EREFUSED' }), '', 0)
    resolve(hostname).then((found) => {
      const [first] = found
      if (first === undefined) return fail(new Error(`${hostname} has no address`))
      const bad = found.find(({ address }) => !isCallable(hostname, address, policy))
      if (bad !== undefined) return callback(resolvedTo(hostname, bad.address), '', 0)
      if (options.all) return callback(null, [...found])
      return callback(null, first.address, first.family)
    }, fail)
  }
}

/**
 * Vets what a name resolves to here, before a proxy resolves it again. A name that does not resolve here is left to the
 * proxy.
 *
 * @throws Fault `upstream.refused`
 */
export async function vetForProxy(resolve: Resolve, url: URL, policy: AddressPolicy): Promise<void> {
  if (isIP(bareHost(url)) !== 0) return
  const { hostname } = url
  const found = await resolve(hostname).catch(() => [])
  const bad = found.find(({ address }) => !isCallable(hostname, address, policy))
  if (bad !== undefined) throw resolvedTo(hostname, bad.address)
}

function isCallable(
  hostname: string,
  address: string,
  { isDevelopment, outboundAllowedHosts }: AddressPolicy,
): boolean {
  if (isGlobalAddress(address) || outboundAllowedHosts?.hasAddress(address) === true) return true
  if (isDevelopment && isLoopbackAddress(address)) return true
  return outboundAllowedHosts?.hasName(hostname) === true && isPrivateAddress(address)
}

function resolvedTo(hostname: string, address: string): Fault {
  return refused(PUBLIC_ONLY, `${hostname} resolved to ${address}`)
}

/** Whether a URL names this machine. RFC 6761 6.3: localhost and what ends in it is this machine */
export function isOnThisMachine(url: URL): boolean {
  const host = bareHost(url)
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
}

function bareHost({ hostname }: URL): string {
  // WHATWG URL writes IPv6 in brackets, and every notation of IPv4 (0x7f.1, 2130706433) as four decimals.
  return hostname.replace(/^\[|\]$/g, '')
}

function refused(detail: string, notes?: string): Fault {
  const shown = { detail: `The address may not be called. ${detail}` }
  return new Fault('upstream.refused', notes === undefined ? shown : { ...shown, notes })
}
