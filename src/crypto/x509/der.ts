import { Fault } from '../../fault.ts'

/** One element of DER. `content` and `whole` are views into the bytes that were read. */
export type Der = { readonly tag: number; readonly content: Buffer; readonly whole: Buffer }

/** Tags of the universal and, from `0xa0`, the constructed context class, as encoded in the first byte. */
export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

const LENGTH_BYTES_MAX = 4

/**
 * Parses bytes that are exactly one element. Strict: definite and minimal lengths, tag numbers below 31.
 *
 * @throws Fault `certificate.invalid`
 * @see [X.690, 10.1](https://www.itu.int/rec/T-REC-X.690)
 */
export function readDer(bytes: Buffer): Der {
  const found = elementAt(bytes, 0)
  if (found.whole.length !== bytes.length) throw malformedDer('bytes follow the end')
  return found
}

/** The elements inside a constructed one. @throws Fault `certificate.invalid` */
export function childrenOf({ content }: Der): readonly Der[] {
  const found: Der[] = []
  for (let at = 0; at < content.length; ) {
    const one = elementAt(content, at)
    found.push(one)
    at += one.whole.length
  }
  return found
}

/** The one element inside an explicit tag. @throws Fault `certificate.invalid` */
export function onlyChildOf(der: Der): Der {
  const [only, ...more] = childrenOf(der)
  if (only === undefined || more.length > 0) throw malformedDer(`there is not one element inside the tag ${der.tag}`)
  return only
}

/** The elements inside a SEQUENCE. @throws Fault `certificate.invalid` if it is none. */
export function sequenceOf(der: Der | undefined): readonly Der[] {
  return childrenOf(expected(der, derTags.sequence))
}

/** Returns the element if it has that tag. @throws Fault `certificate.invalid` */
export function expected(der: Der | undefined, tag: number): Der {
  if (der?.tag !== tag) throw malformedDer(`an element with the tag ${tag} is missing`)
  return der
}

/** Reads an OBJECT IDENTIFIER as dotted numbers. @throws Fault `certificate.invalid` */
export function oidOf(der: Der | undefined): string {
  const { content } = expected(der, derTags.oid)
  const arcs: number[] = []
  let value = 0
  for (const [at, byte] of content.entries()) {
    if (value === 0 && byte === 0x80) throw malformedDer('an object identifier is not minimal')
    value = value * 128 + (byte & 0x7f)
    if (!Number.isSafeInteger(value)) throw malformedDer('an object identifier is too large')
    if (byte & 0x80) {
      if (at === content.length - 1) throw malformedDer('an object identifier is cut off')
      continue
    }
    if (arcs.length === 0)
      arcs.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)))
    else arcs.push(value)
    value = 0
  }
  if (arcs.length === 0) throw malformedDer('an object identifier is empty')
  return arcs.join('.')
}

/** Reads a BOOLEAN. @throws Fault `certificate.invalid` */
export function booleanOf(der: Der): boolean {
  const [byte, ...more] = expected(der, derTags.boolean).content
  // X.690 11.1: TRUE is FF
  if (more.length > 0 || (byte !== 0x00 && byte !== 0xff)) throw malformedDer('a boolean is not DER')
  return byte === 0xff
}

/** The bytes of an INTEGER, minimal, two's complement. @throws Fault `certificate.invalid` */
export function integerBytesOf(der: Der | undefined): Buffer {
  const { content } = expected(der, derTags.integer)
  const [first, second = 0] = content
  if (first === undefined) throw malformedDer('an integer is empty')
  // X.690 8.3.2: the first nine bits are not all the same
  const isPadded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))
  if (isPadded) throw malformedDer('an integer is not minimal')
  return content
}

/** Reads a small INTEGER that is not negative. @throws Fault `certificate.invalid` */
export function smallIntegerOf(der: Der | undefined): number {
  const bytes = integerBytesOf(der)
  if (bytes.length > 4 || (bytes[0] ?? 0) >= 0x80) throw malformedDer('an integer is out of range')
  return bytes.readUIntBE(0, bytes.length)
}

/** The bytes of a BIT STRING of named bits; the unused bits are zero. @throws Fault `certificate.invalid` */
export function namedBitsOf(der: Der | undefined): Buffer {
  const { content } = expected(der, derTags.bitString)
  const [unused] = content
  if (unused === undefined || unused > 7 || (unused > 0 && content.length === 1))
    throw malformedDer('a bit string is not DER')
  // X.690 11.2.1
  if (((content.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0)
    throw malformedDer('the unused bits of a bit string are not zero')
  return content.subarray(1)
}

/** The bytes of a BIT STRING of whole octets, as signatures and keys are. @throws Fault `certificate.invalid` */
export function bitsOf(der: Der | undefined): Buffer {
  const bytes = namedBitsOf(der)
  if (der?.content[0] !== 0) throw malformedDer('a signature or a key has unused bits')
  return bytes
}

/** Whether an element is a UTCTime or a GeneralizedTime. */
export function isTime(der: Der | undefined): boolean {
  return der?.tag === derTags.utcTime || der?.tag === derTags.generalizedTime
}

/**
 * Reads a time: UTCTime or GeneralizedTime, in UTC, with seconds, without fractions.
 *
 * @throws Fault `certificate.invalid`
 * @see [RFC 5280, 4.1.2.5](https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5)
 */
export function derTimeOf(der: Der | undefined): Date {
  if (der === undefined || !isTime(der)) throw malformedDer('a time is missing')
  const text = der.content.toString('latin1')
  const digits = der.tag === derTags.utcTime ? `${text < '5' ? '20' : '19'}${text}` : text
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits)
  if (found === null) throw malformedDer('a time is not in the form that RFC 5280 demands')
  const [, year, month, day, hour, minute, second] = found
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const time = new Date(iso)
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw malformedDer('a time is not on the calendar')
  return time
}

/** Returns the fault for malformed DER. */
export function malformedDer(why: string, cause?: unknown): Fault {
  return new Fault('certificate.invalid', {
    detail: `It is not well-formed: ${why}.`,
    ...(cause !== undefined && { cause }),
  })
}

function elementAt(bytes: Buffer, at: number): Der {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) throw malformedDer('it is cut off')
  if ((tag & 0x1f) === 0x1f) throw malformedDer('a tag is too large')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + lengthBytes
  if (start > bytes.length) throw malformedDer('it is cut off')
  const length = lengthBytes === 0 && first < 0x80 ? first : lengthAt(bytes, at + 2, lengthBytes)
  const end = start + length
  if (end > bytes.length) throw malformedDer('it is cut off')
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) }
}

/** X.690 10.1: the definite form, in the fewest bytes */
function lengthAt(bytes: Buffer, at: number, count: number): number {
  if (count === 0 || count > LENGTH_BYTES_MAX) throw malformedDer('a length is indefinite or too long')
  const length = bytes.readUIntBE(at, count)
  if (length < 0x80 || bytes[at] === 0) throw malformedDer('a length is not minimal')
  return length
}
