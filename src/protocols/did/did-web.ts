import { Fault } from '../../fault.ts'
import { parseDid } from './did.ts'

const hostForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?:%3[Aa]\d{1,5})?$/
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])

/**
 * Returns the address of the document of a `did:web` DID. NOT checked: whether that address may be called.
 *
 * @param plainLoopback Development only: loopback hosts are fetched over http.
 * @throws Fault `did.unsupported` if the DID is not a plain https address.
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

/**
 * The `did:web` DID of an address: host, port unless it is the default, and path. Scheme, query and fragment are not
 * part of it.
 */
export function didWebOf(address: string): string {
  const { host, pathname } = new URL(address)
  const segments = pathname.split('/').filter((segment) => segment !== '')
  return ['did:web', host.replace(':', '%3A'), ...segments].join(':')
}

/** Whether a path segment is one segment however it is decoded: no `..`, no slash, no query. */
function isPlainSegment(segment: string): boolean {
  if (segment === '') return false
  try {
    const plain = decodeURIComponent(segment)
    return plain !== '.' && plain !== '..' && !/[/\\?#%\p{Cc}]/u.test(plain)
  } catch {
    return false
  }
}
