import { addMember, type CborBudget, CborReader, invalidCbor, newBudget } from './reader.ts'
import { type Cbor, type CborKey, cborTags, isBytes, isTagged } from './value.ts'

/**
 * Decodes exactly one untrusted CBOR item.
 *
 * Heads that are longer than needed and any order of map keys are accepted, since real wallets send them; duplicate
 * keys, trailing bytes, unknown tags and simple values, and text that is not UTF-8 are not. Returned byte strings are
 * views into `bytes`.
 *
 * @throws Fault `cbor.malformed`
 * @see [RFC 8949, 5](https://www.rfc-editor.org/rfc/rfc8949#section-5) and [5.3](https://www.rfc-editor.org/rfc/rfc8949#section-5.3)
 */
export function decodeCbor(bytes: Uint8Array, budget: CborBudget = newBudget()): Cbor {
  const reader = new CborReader(bytes, budget)
  const value = reader.item(0)
  reader.end()
  return value
}

/**
 * Splits a map into its members; each value is returned as its encoded bytes.
 *
 * @throws Fault `cbor.malformed`
 */
export function splitCborMap(bytes: Uint8Array, budget: CborBudget = newBudget()): ReadonlyMap<CborKey, Uint8Array> {
  const reader = new CborReader(bytes, budget)
  const members = new Map<CborKey, Uint8Array>()
  reader.members((key) => {
    const start = reader.at
    reader.item(1)
    addMember(members, key, bytes.subarray(start, reader.at))
  })
  reader.end()
  return members
}

/**
 * Decodes an item embedded as `#6.24(bstr)`.
 *
 * @throws Fault `cbor.malformed` if it is no such item or if its content is malformed.
 */
export function decodeEmbedded(item: Cbor, budget: CborBudget): Cbor {
  if (!isTagged(item, cborTags.embedded) || !isBytes(item.value)) throw invalidCbor('An embedded item is expected.')
  return decodeCbor(item.value, budget)
}
