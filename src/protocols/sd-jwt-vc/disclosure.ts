import { fromBase64url, toBase64url } from '../../crypto/base64url.ts'
import { digestBase64url, type HashName } from '../../crypto/digest.ts'
import { type Json, type JsonObject, memberOf, parseJson } from '../../crypto/json.ts'

/**
 * One disclosure as received: `encoded` is never re-encoded, since its digest is over exactly these characters [SD-3].
 */
export type Disclosure = {
  readonly encoded: string
  readonly digest: string
  /** Null for an array element. */
  readonly name: string | null
  readonly value: Json
}

/** RFC 9901 4.1.1 and [SEC-22]: accepted values of `_sd_alg`. Weaker hashes are refused. */
const hashes: ReadonlyMap<Json, HashName> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])

/** Returns the hash of the digests of a payload, by default SHA-256; null if it is not accepted. */
export function hashOf(payload: JsonObject): HashName | null {
  const named = memberOf(payload, '_sd_alg')
  return named === undefined ? 'sha256' : (hashes.get(named) ?? null)
}

/** Encodes a disclosure: `[salt, name, value]`, or `[salt, value]` for an array element. */
export function encodeDisclosure(salt: string, name: string | null, value: Json): string {
  return toBase64url(JSON.stringify(name === null ? [salt, value] : [salt, name, value]))
}

/** Decodes a disclosure; null if it has neither form (RFC 9901, 7.1 step 3.b). */
export function decodeDisclosure(encoded: string, hash: HashName): Disclosure | null {
  let parts: Json
  try {
    parts = parseJson(fromBase64url(encoded), { exactIntegers: true })
  } catch {
    return null
  }
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') return null
  const digest = digestBase64url(hash, encoded)
  if (parts.length === 2) return { encoded, digest, name: null, value: parts[1] as Json }
  const name = parts[1]
  if (parts.length !== 3 || typeof name !== 'string') return null
  return { encoded, digest, name, value: parts[2] as Json }
}
