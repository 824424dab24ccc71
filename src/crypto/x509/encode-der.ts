// Encodes the types of DER (ITU-T X.690) that certificates, requests and revocation lists consist of.

import { derTags } from './der.ts'

/** One element: tag, length in its shortest form, content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

/** SEQUENCE. */
export function sequence(...members: readonly Uint8Array[]): Buffer {
  return element(derTags.sequence, ...members)
}

/** SET OF. DER sorts the members of a set by their encodings. @see X.690, 11.6 */
export function setOf(...members: readonly Uint8Array[]): Buffer {
  return element(derTags.set, ...[...members].sort(Buffer.compare))
}

/** `[n]` around a whole element. */
export function explicit(n: number, ...content: readonly Uint8Array[]): Buffer {
  return element(0xa0 | n, ...content)
}

/** `[n]` in place of the tag of a primitive type. */
export function implicit(n: number, content: Uint8Array): Buffer {
  return element(0x80 | n, content)
}

/** BOOLEAN; true is all ones (X.690, 11.1). */
export function boolean(value: boolean): Buffer {
  return element(derTags.boolean, Buffer.from([value ? 0xff : 0x00]))
}

/** A non-negative INTEGER, as a small number or as big-endian bytes, in its shortest form. */
export function derInteger(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? bytesOf(value) : value
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const shortest = bytes.subarray(start)
  // The first bit is the sign.
  const sign = ((shortest[0] ?? 0) & 0x80) === 0 ? [] : [Buffer.from([0])]
  return element(derTags.integer, ...sign, shortest.length === 0 ? Buffer.from([0]) : shortest)
}

/** BIT STRING of whole bytes. */
export function bitString(bytes: Uint8Array): Buffer {
  return element(derTags.bitString, Buffer.from([0]), bytes)
}

/** BIT STRING of named bits: `bits` are their numbers, trailing zero bits are left out (X.690, 11.2.2). */
export function namedBits(...bits: readonly number[]): Buffer {
  const last = Math.max(...bits)
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1)
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  return element(derTags.bitString, Buffer.from([7 - (last & 7)]), bytes)
}

/** OCTET STRING. */
export function octetString(bytes: Uint8Array): Buffer {
  return element(derTags.octetString, bytes)
}

/**
 * OBJECT IDENTIFIER from its dotted form. The first two arcs share a number: arc 1.0 begins with 0x28.
 *
 * @see X.690, 8.19.4
 */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(derTags.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)))
}

/** UTF8String. */
export function utf8String(text: string): Buffer {
  return element(derTags.utf8String, Buffer.from(text, 'utf8'))
}

/** PrintableString; the caller checks the character set. */
export function printableString(text: string): Buffer {
  return element(derTags.printableString, Buffer.from(text, 'latin1'))
}

/** A time by RFC 5280 4.1.2.5, to the second: UTCTime up to 2049, GeneralizedTime after. */
export function derTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  const isLate = at.getUTCFullYear() >= 2050
  return element(
    isLate ? derTags.generalizedTime : derTags.utcTime,
    Buffer.from(isLate ? digits : digits.slice(2), 'latin1'),
  )
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = bytesOf(length)
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

function bytesOf(value: number): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function base128(arc: number): number[] {
  const septets = [arc & 0x7f]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) septets.unshift((rest & 0x7f) | 0x80)
  return septets
}
