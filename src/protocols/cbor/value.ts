/** A CBOR value. A `number` is always an integer; floating-point numbers have a type of their own. */
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

/** A key of a map. Keys of other types are refused. */
export type CborKey = number | string

/** A map without duplicate keys. */
export type CborMap = ReadonlyMap<CborKey, Cbor>

/**
 * A tagged value. `bytes`: the whole item as decoded, heads included, which encoding writes unchanged. Null in a value
 * of our own.
 *
 * Digests and signatures are over `bytes`: re-encoding `value` could give other bytes than the peer's [MD-1].
 */
export type Tagged = { readonly tag: number; readonly value: Cbor; readonly bytes: Uint8Array | null }

/** A floating-point number, so that 1.0 never passes for the integer 1. */
type Float = { readonly float: number }

/** An encoded item, written unchanged. Decoding never returns one. */
type Encoded = { readonly encoded: Uint8Array }

/** The allowed tags [SEC-41]. */
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

/** Whether a value is tagged, with `tag` if given. */
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
