import { faultOf } from '../../fault.ts'
import { type Cbor, type CborKey, type CborMap, cborTags } from './value.ts'

/** [SEC-41] Limits of untrusted CBOR. `depth`: nested arrays, maps and tags; the outermost counts as 1. */
export const cborLimits = { depth: 16, items: 50_000, stringBytes: 4 * 1024 * 1024, bytes: 8 * 1024 * 1024 } as const

/** Number of items that may still be decoded. A message and everything embedded in it share one budget. */
export type CborBudget = { itemsLeft: number }

/** Returns a budget for one message. */
export function newBudget(): CborBudget {
  return { itemsLeft: cborLimits.items }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const allowedTags: ReadonlySet<number> = new Set(Object.values(cborTags))
const INDEFINITE = 31
const BREAK = 0xff
const REPLACEMENT = '\ufffd'

/** Decodes CBOR sequentially. @throws Fault `cbor.malformed`, every method. */
export class CborReader {
  at = 0
  readonly #bytes: Buffer
  readonly #budget: CborBudget

  constructor(bytes: Uint8Array, budget: CborBudget) {
    if (bytes.length > cborLimits.bytes) throw invalidCbor('The CBOR is too long.')
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#budget = budget
  }

  /** @param depth Number of arrays, maps and tags around the item. */
  item(depth: number): Cbor {
    const start = this.at
    const initial = this.#initial()
    const info = initial & 0x1f
    switch (initial >> 5) {
      case 0:
        return this.#integer(info)
      case 1:
        return negative(this.#integer(info))
      case 2:
        return this.#bytesOrChunks(2, info)
      case 3:
        return this.#text(info)
      case 4:
        return this.#array(info, deeper(depth))
      case 5:
        return this.#map(info, deeper(depth))
      case 6:
        return this.#tag(start, info, deeper(depth))
      default:
        return this.#simple(info)
    }
  }

  /** Reads the head of a map and calls `read` for every key; the callback reads the value. */
  members(read: (key: CborKey) => void): void {
    const initial = this.#initial()
    if (initial >> 5 !== 5) throw invalidCbor('A map is expected.')
    this.#pairs(initial & 0x1f, 1, read)
  }

  end(): void {
    // [SEC-41] trailing bytes would be visible to some decoders only
    if (this.at !== this.#bytes.length) throw invalidCbor('Something follows the CBOR item.')
  }

  #initial(): number {
    this.#budget.itemsLeft -= 1
    if (this.#budget.itemsLeft < 0) throw invalidCbor('The CBOR has too many items.')
    return this.#byte()
  }

  #byte(): number {
    const byte = this.#bytes[this.at]
    if (byte === undefined) throw invalidCbor('The CBOR ends too early.')
    this.at += 1
    return byte
  }

  #advance(count: number): number {
    const from = this.at
    if (count > this.#bytes.length - from) throw invalidCbor('The CBOR ends too early.')
    this.at = from + count
    return from
  }

  #integer(info: number): number | bigint {
    if (info < 24) return info
    if (info === 24) return this.#byte()
    if (info === 25) return this.#bytes.readUInt16BE(this.#advance(2))
    if (info === 26) return this.#bytes.readUInt32BE(this.#advance(4))
    if (info !== 27) throw invalidCbor('A head of CBOR is malformed.')
    const wide = this.#bytes.readBigUInt64BE(this.#advance(8))
    return wide > Number.MAX_SAFE_INTEGER ? wide : Number(wide)
  }

  /**
   * A length or a number of elements of at least `bytesEach`; a count beyond the remaining bytes is refused at once.
   */
  #count(info: number, bytesEach: number): number {
    const count = this.#integer(info)
    if (typeof count === 'bigint' || count * bytesEach > this.#bytes.length - this.at)
      throw invalidCbor('The CBOR ends too early.')
    return count
  }

  #slice(info: number): Buffer {
    const length = this.#count(info, 1)
    if (length > cborLimits.stringBytes) throw invalidCbor('A string is too long.')
    const from = this.#advance(length)
    return this.#bytes.subarray(from, this.at)
  }

  #bytesOrChunks(major: number, info: number): Buffer {
    if (info !== INDEFINITE) return this.#slice(info)
    const chunks: Buffer[] = []
    let length = 0
    while (!this.#isBreak()) {
      const initial = this.#initial()
      // RFC 8949 3.2.3: chunks are definite strings of the same kind
      if (initial >> 5 !== major || (initial & 0x1f) === INDEFINITE)
        throw invalidCbor('A chunk of a string is malformed.')
      const chunk = this.#slice(initial & 0x1f)
      if (major === 3) textOf(chunk)
      chunks.push(chunk)
      length += chunk.length
      if (length > cborLimits.stringBytes) throw invalidCbor('A string is too long.')
    }
    return Buffer.concat(chunks)
  }

  #text(info: number): string {
    return textOf(this.#bytesOrChunks(3, info))
  }

  #array(info: number, depth: number): readonly Cbor[] {
    const array: Cbor[] = []
    if (info === INDEFINITE) while (!this.#isBreak()) array.push(this.item(depth))
    else for (let left = this.#count(info, 1); left > 0; left -= 1) array.push(this.item(depth))
    return array
  }

  #map(info: number, depth: number): CborMap {
    const map = new Map<CborKey, Cbor>()
    this.#pairs(info, depth, (key) => addMember(map, key, this.item(depth)))
    return map
  }

  #pairs(info: number, depth: number, read: (key: CborKey) => void): void {
    if (info === INDEFINITE) while (!this.#isBreak()) read(this.#key(depth))
    else for (let left = this.#count(info, 2); left > 0; left -= 1) read(this.#key(depth))
  }

  #key(depth: number): CborKey {
    const key = this.item(depth)
    if (typeof key !== 'string' && typeof key !== 'number')
      throw invalidCbor('A key of a map is neither a text nor a small integer.')
    return key
  }

  #tag(start: number, info: number, depth: number): Cbor {
    const tag = this.#integer(info)
    if (typeof tag !== 'number' || !allowedTags.has(tag)) throw invalidCbor('The CBOR has an unknown tag.')
    const value = this.item(depth)
    return { tag, value, bytes: this.#bytes.subarray(start, this.at) }
  }

  #simple(info: number): Cbor {
    if (info === 20) return false
    if (info === 21) return true
    if (info === 22) return null
    if (info === 23) return undefined
    if (info === 25) return { float: halfFloat(this.#bytes.readUInt16BE(this.#advance(2))) }
    if (info === 26) return { float: this.#bytes.readFloatBE(this.#advance(4)) }
    if (info === 27) return { float: this.#bytes.readDoubleBE(this.#advance(8)) }
    throw invalidCbor('The CBOR has an unknown simple value or an unexpected break.')
  }

  #isBreak(): boolean {
    if (this.#bytes[this.at] !== BREAK) return false
    this.at += 1
    return true
  }
}

/** Puts a member into a map that has no such key yet. @throws Fault `cbor.malformed` */
export function addMember<V>(map: Map<CborKey, V>, key: CborKey, value: V): void {
  // [SEC-24] two readers of one signed map could see different values
  if (map.has(key) || map.has(jsonEqualKey(key))) throw invalidCbor('A map has a duplicate key.')
  // [SEC-23] as JSON it would change what a copy inherits; no spec has one
  if (key === '__proto__') throw invalidCbor('A map has a key named __proto__.')
  map.set(key, value)
}

/** The key of the other type that is equal in JSON, such as 1 and "1": one of the two would be lost in JSON. */
function jsonEqualKey(key: CborKey): CborKey {
  if (typeof key === 'number') return String(key)
  return String(Number(key)) === key ? Number(key) : key
}

function deeper(depth: number): number {
  if (depth >= cborLimits.depth) throw invalidCbor('The CBOR is nested too deeply.')
  return depth + 1
}

function negative(argument: number | bigint): number | bigint {
  return typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER ? -1 - argument : -1n - BigInt(argument)
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes(REPLACEMENT)) return text
  // the lenient decoder inserted the character, or the text contains it
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    throw invalidCbor('A text is not UTF-8.', cause)
  }
}

function halfFloat(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Returns the fault for malformed CBOR. */
export const invalidCbor = faultOf('cbor.malformed')
