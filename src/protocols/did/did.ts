import { Fault } from '../../fault.ts'

/** Maximum length of a DID or DID URL, in characters. */
const DID_CHARS_MAX = 2048

// DID Core 3.1: method name, then idchars and colons, not ending in a colon
const didForm = /^did:([a-z0-9]+):((?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2}))$/

/** A DID and its parts. `id` is specific to the method. */
type Did = { readonly did: string; readonly method: string; readonly id: string }

/** Whether a text starts like a DID. NOT checked: its form. */
export function looksLikeDid(text: string): boolean {
  return text.startsWith('did:')
}

/**
 * Parses a DID.
 *
 * @throws Fault `did.unsupported` if it is malformed, or a DID URL with path, query or fragment.
 * @see [DID Core, 3.1](https://www.w3.org/TR/did-core/#did-syntax)
 */
export function parseDid(did: string): Did {
  const parts = did.length > DID_CHARS_MAX ? null : didForm.exec(did)
  if (parts === null) throw new Fault('did.unsupported', { detail: 'The DID is malformed.' })
  return { did, method: parts[1] ?? '', id: parts[2] ?? '' }
}

/** Whether a text is a DID, without path, query and fragment. */
export function isDid(text: string): boolean {
  return text.length <= DID_CHARS_MAX && didForm.test(text)
}

/**
 * Parses the DID URL of a verification method: a DID and a fragment.
 *
 * @throws Fault `did.unsupported` if it has no fragment, or a path or query.
 */
export function parseKeyUrl(url: string): Did & { readonly fragment: string } {
  const hash = url.indexOf('#')
  const fragment = url.slice(hash + 1)
  if (hash < 0 || fragment === '' || fragment.includes('#')) {
    throw new Fault('did.unsupported', { detail: 'The DID URL is not that of a key.' })
  }
  return { ...parseDid(url.slice(0, hash)), fragment }
}
