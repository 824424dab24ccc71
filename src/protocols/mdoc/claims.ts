import { toBase64url } from '../../crypto/base64url.ts'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { type Cbor, isBytes, isCborArray, isCborMap, isFloat, isTagged } from '../cbor/value.ts'

/** One element with its value, signed by the issuer or by the device. */
export type Element = { readonly elementIdentifier: string; readonly elementValue: Cbor }

/**
 * Converts the elements of an mdoc to JSON, `{namespace: {element: value}}`, the form of the API and of DCQL.
 *
 * Dates are texts, byte strings base64url; integers beyond 2^53 are texts; NaN and infinities are null.
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
