import { isIP, type LookupFunction } from 'node:net'
import { Fault } from '../../fault.ts'
import { isGlobalAddress, isLoopbackAddress } from './global-address.ts'

/** Every address of a host name, as the system resolves it. Tests give their own. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

const PORT_PRIVILEGED_MAX = 1023

/**
 * Reads an address that somebody else chose. The same object is then used for the call: nothing is parsed twice. [9.2]
 *
 * @throws Fault `upstream.refused` for what is no https URL, names a user, or names an IP address. In development http and
 * loopback addresses are fine, together or apart.
 */
export function vettedUrl(text: string, isDevelopment: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw refused('It is not an absolute URL.')
  if (url.username !== '' || url.password !== '') throw refused('It carries a user name.')
  // A closing dot names the same host in another spelling, by which our own address would pass as foreign.
  if (url.hostname.endsWith('.')) throw refused('The host name ends in a dot.')
  const host = bareHost(url)
  // RFC 6761 6.3: localhost and what ends in it is this machine
  const isHere = host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isDevelopment && isHere)) {
    throw refused('It must be https.')
  }
  if (isHere && isDevelopment) return url
  if (isHere || isIP(host) !== 0) throw refused('It must name a host, not an IP address.')
  const port = Number(url.port || 443)
  if (port !== 443 && port <= PORT_PRIVILEGED_MAX) throw refused('The port is reserved for another service.')
  return url
}

/**
 * The look-up that sockets are opened with. It answers vetted addresses only, and the socket connects to what it answered: a name
 * that resolves to another address a moment later gains nothing. One bad address among good ones spoils them all.
 */
export function vettedLookup(resolve: Resolve, isDevelopment: boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answered = (error: Error) => callback(Object.assign(error, { code: 'EREFUSED' }), '', 0)
    resolve(hostname).then((found) => {
      const [first] = found
      if (first === undefined) return answered(new Error(`${hostname} has no address`))
      const bad = found.find(({ address }) => !mayCall(address, isDevelopment))
      if (bad !== undefined) return callback(refused('', `${hostname} resolved to ${bad.address}`), '', 0)
      if (options.all) return callback(null, [...found])
      return callback(null, first.address, first.family)
    }, answered)
  }
}

function mayCall(address: string, isDevelopment: boolean): boolean {
  return isGlobalAddress(address) || (isDevelopment && isLoopbackAddress(address))
}

function bareHost({ hostname }: URL): string {
  // WHATWG URL writes IPv6 in brackets, and every odd notation of IPv4 (0x7f.1, 2130706433) as four decimals
  return hostname.replace(/^\[|\]$/g, '')
}

function refused(detail: string, notes?: string): Fault {
  const said = detail === '' ? {} : { detail: `The address may not be called. ${detail}` }
  return new Fault('upstream.refused', { ...said, ...(notes === undefined ? {} : { notes }) })
}
