import { Fault } from '../../fault.ts'
import { parseDid } from './did.ts'

const hostForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?:%3[Aa]\d{1,5})?$/
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])

/**
 * Where the document of a `did:web` DID is to be fetched. Whether that address may be called is the caller's to check.
 *
 * @param plainLoopback Development only: loopback hosts are asked over http.
 * @throws Fault `did.unsupported` if the DID does not name an https address without tricks.
 * @see [did:web, 3.2](https://w3c-ccg.github.io/did-method-web/#read-resolve)
 */
export function didWebUrl(did: string, plainLoopback = false): string {
  const { method, id } = parseDid(did)
  const [host = '', ...segments] = id.split(':')
  if (method !== 'web' || !hostForm.test(host) || !segments.every(isPlainSegment)) {
    throw new Fault('did.unsupported', { detail: 'The DID is not a usable did:web.' })
  }
  const authority = host.replace(/%3a/i, ':')
  const scheme = plainLoopback && loopbackHosts.has(authority.replace(/:\d+$/, '')) ? 'http' : 'https'
  const path = segments.length === 0 ? '/.well-known' : `/${segments.join('/')}`
  return `${scheme}://${authority}${path}/did.json`
}

/** The `did:web` DID of an address: host, port if it is not the usual one, and path. Scheme, query and fragment are not part of it. */
export function didWebOf(address: string): string {
  const { host, pathname } = new URL(address)
  const segments = pathname.split('/').filter((segment) => segment !== '')
  return ['did:web', host.replace(':', '%3A'), ...segments].join(':')
}

/** A segment that stays one segment however it is read: no way up, no slash, no query in disguise. */
function isPlainSegment(segment: string): boolean {
  if (segment === '') return false
  try {
    const plain = decodeURIComponent(segment)
    return plain !== '.' && plain !== '..' && !/[/\\?#%\p{Cc}]/u.test(plain)
  } catch {
    return false
  }
}
