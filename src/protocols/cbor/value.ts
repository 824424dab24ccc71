/** A CBOR value. A `number` is an integer, and nothing else is: floating-point numbers have a type of their own. */
export type Cbor =
  | number
  | bigint
  | string
  | boolean
  | null
  | undefined
  | Uint8Array
  | readonly Cbor[]
  | CborMap
  | Tagged
  | Float
  | Encoded

/** A key of a map. Other keys than integers and texts are refused: nothing that we read has them. */
export type CborKey = number | string

/** A map without duplicate keys. */
export type CborMap = ReadonlyMap<CborKey, Cbor>

/**
 * A tagged value. `bytes`: the whole item as it was read, heads included; it is written back as it is. Null in one that we made.
 *
 * What is hashed or signed is hashed over `bytes`: encoding `value` again would give other bytes for a peer that encodes otherwise [MD-1].
 */
export type Tagged = { readonly tag: number; readonly value: Cbor; readonly bytes: Uint8Array | null }

/** A floating-point number, so that 1.0 never passes for the integer 1. */
type Float = { readonly float: number }

/** One item that is encoded already and is written as it is. Never comes out of decoding. */
type Encoded = { readonly encoded: Uint8Array }

/** The tags that are read and written; a list of what is allowed [SEC-41]. */
export const cborTags = { dateTime: 0, sign1: 18, embedded: 24, fullDate: 1004 } as const

/** Whether a value is a map. */
export function isCborMap(value: Cbor): value is CborMap {
  return value instanceof Map
}

/** Whether a value is a byte string. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

/** Whether a value is an array. */
export function isCborArray(value: Cbor): value is readonly Cbor[] {
  return Array.isArray(value)
}

/** Whether a value carries a tag, and that one if it is named. */
export function isTagged(value: Cbor, tag?: number): value is Tagged {
  return isObject(value) && 'tag' in value && (tag === undefined || value.tag === tag)
}

/** Whether a value is a floating-point number. */
export function isFloat(value: Cbor): value is Float {
  return isObject(value) && 'float' in value
}

/** Whether a value is an integer from 0 up. */
export function isUint(value: Cbor): value is number {
  return typeof value === 'number' && value >= 0
}

/** A tagged value of our own. */
export function tagged(tag: number, value: Cbor): Tagged {
  return { tag, value, bytes: null }
}

function isObject(value: Cbor): value is Exclude<Extract<Cbor, object>, Uint8Array | readonly Cbor[] | CborMap> {
  return typeof value === 'object' && value !== null && !isBytes(value) && !Array.isArray(value) && !isCborMap(value)
}
