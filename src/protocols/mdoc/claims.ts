import { toBase64url } from '../../crypto/base64url.ts'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { type Cbor, isBytes, isCborArray, isCborMap, isFloat, isTagged } from '../cbor/value.ts'

/** One element with its value: of the issuer, or of the holder itself. */
export type Element = { readonly elementIdentifier: string; readonly elementValue: Cbor }

/**
 * The elements of an mdoc as JSON, `{namespace: {element: value}}`, as the API shows them and as DCQL asks for them.
 *
 * Dates are texts, byte strings base64url; what JSON has no number for is a text (integers beyond 2^53) or null (NaN, infinities).
 */
export function mdocClaims(nameSpaces: ReadonlyMap<string, readonly Element[]>): JsonObject {
  const entries = [...nameSpaces].map(([nameSpace, elements]) => {
    const values = elements.map(({ elementIdentifier, elementValue }) => [elementIdentifier, toJson(elementValue)])
    return [nameSpace, Object.fromEntries(values)]
  })
  return Object.fromEntries(entries)
}

/** One CBOR value as JSON, by the rules of {@link mdocClaims}. */
export function toJson(value: Cbor): Json {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return value.toString()
  if (isBytes(value)) return toBase64url(value)
  if (isCborArray(value)) return value.map(toJson)
  if (isCborMap(value)) return Object.fromEntries([...value].map(([key, one]) => [String(key), toJson(one)]))
  if (isTagged(value)) return toJson(value.value)
  if (isFloat(value)) return Number.isFinite(value.float) ? value.float : null
  return toBase64url(value.encoded)
}
