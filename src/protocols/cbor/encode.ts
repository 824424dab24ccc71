import { Fault } from '../../fault.ts'
import { type Cbor, type CborMap, cborTags, isBytes, isCborMap, type Tagged, tagged } from './value.ts'

const SMALL_BYTES = 1024
const KEY_BYTES = 48

/**
 * Encodes deterministically: shortest heads, definite lengths, keys in the order of their bytes. Items that were
 * decoded with a tag and `Encoded` items keep their bytes.
 *
 * @throws Fault `cbor.malformed` for a number that is no safe integer, and for text that is not well-formed Unicode.
 * @see [RFC 8949, 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1)
 */
export function encodeCbor(value: Cbor): Buffer {
  const writer = new Writer()
  writer.item(value)
  return writer.written()
}

/** `#6.24(bstr)` around an item, as in most parts of an mdoc. */
export function embed(value: Cbor): Tagged {
  return tagged(cborTags.embedded, encodeCbor(value))
}

class Writer {
  #buffer: Buffer
  #length = 0

  constructor(size = SMALL_BYTES) {
    this.#buffer = Buffer.allocUnsafe(size)
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  item(value: Cbor): void {
    if (typeof value === 'string') this.#text(value)
    else if (typeof value === 'number') this.#integer(value)
    else if (typeof value === 'bigint') this.#bigInteger(value)
    else if (typeof value === 'object' && value !== null) this.#object(value)
    else this.#push(0xe0 | (value === false ? 20 : value === true ? 21 : value === null ? 22 : 23))
  }

  #object(value: Extract<Cbor, object>): void {
    if (isBytes(value)) this.#bytes(2, value)
    else if (isCborMap(value)) this.#map(value)
    else if ('encoded' in value) this.#raw(value.encoded)
    else if ('float' in value) this.#float(value.float)
    else if ('tag' in value) this.#tag(value)
    else {
      this.#head(4, value.length)
      for (const one of value) this.item(one)
    }
  }

  #tag({ tag, value, bytes }: Tagged): void {
    if (bytes !== null) {
      this.#raw(bytes)
      return
    }
    this.#head(6, tag)
    this.item(value)
  }

  #map(map: CborMap): void {
    this.#head(5, map.size)
    const entries = [...map].map(([key, value]) => ({ key: encodeKey(key), value }))
    entries.sort((a, b) => Buffer.compare(a.key, b.key))
    for (const { key, value } of entries) {
      this.#raw(key)
      this.item(value)
    }
  }

  #text(text: string): void {
    if (!text.isWellFormed()) throw new Fault('cbor.malformed', { detail: 'A text is not well-formed Unicode.' })
    this.#bytes(3, Buffer.from(text))
  }

  #bytes(major: number, bytes: Uint8Array): void {
    this.#head(major, bytes.length)
    this.#raw(bytes)
  }

  #integer(value: number): void {
    if (!Number.isSafeInteger(value)) throw new Fault('cbor.malformed', { detail: 'A number is not a safe integer.' })
    if (value >= 0) this.#head(0, value)
    else this.#head(1, -1 - value)
  }

  #bigInteger(value: bigint): void {
    const argument = value < 0n ? -1n - value : value
    if (argument >= 2n ** 64n) throw new Fault('cbor.malformed', { detail: 'A number needs more than 64 bits.' })
    this.#head(value < 0n ? 1 : 0, argument)
  }

  /**
   * RFC 8949 4.2.2 asks for the shortest float; every decoder accepts doubles, and only reproducible bytes matter here.
   */
  #float(value: number): void {
    const at = this.#reserve(9)
    this.#buffer[at] = 0xfb
    this.#buffer.writeDoubleBE(value, at + 1)
  }

  #head(major: number, argument: number | bigint): void {
    const type = major << 5
    if (argument < 24) {
      this.#push(type | Number(argument))
      return
    }
    const size = argument < 0x100 ? 1 : argument < 0x10000 ? 2 : argument < 0x1_0000_0000 ? 4 : 8
    const at = this.#reserve(1 + size)
    this.#buffer[at] = type | { 1: 24, 2: 25, 4: 26, 8: 27 }[size]
    if (size === 8) this.#buffer.writeBigUInt64BE(BigInt(argument), at + 1)
    else this.#buffer.writeUIntBE(Number(argument), at + 1, size)
  }

  #push(byte: number): void {
    const at = this.#reserve(1)
    this.#buffer[at] = byte
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#buffer.set(bytes, at)
  }

  /** Reserves bytes at the end and returns their offset. May replace the buffer. */
  #reserve(size: number): number {
    const at = this.#length
    if (at + size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, at + size))
      larger.set(this.written())
      this.#buffer = larger
    }
    this.#length = at + size
    return at
  }
}

function encodeKey(key: number | string): Buffer {
  const writer = new Writer(KEY_BYTES)
  writer.item(key)
  return writer.written()
}
