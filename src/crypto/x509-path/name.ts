import { childrenOf, type Der, derTags, expected, malformedDer, oidOf, sequenceOf } from './der.ts'

/** A distinguished name. Two names are equal exactly if their `der` is; RFC 5280 7.1 would allow more. */
export type Name = {
  readonly der: Buffer
  /** As in RFC 4514: the most specific attribute first. Untrusted text of the certificate's creator. */
  readonly text: string
  /** `C`; null if there is none or more than one. */
  readonly country: string | null
  /** `ST`; null if there is none or more than one. */
  readonly state: string | null
}

type Attribute = { readonly oid: string; readonly value: string }

const COUNTRY = '2.5.4.6'
const STATE = '2.5.4.8'
/** RFC 4514 3, and other attributes that occur in subjects. */
const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
}

/** Reads a Name. @throws Fault `certificate.invalid` @see [RFC 5280, 4.1.2.4](https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4) */
export function readName(der: Der | undefined): Name {
  const parts = sequenceOf(der).map((part) => childrenOf(expected(part, derTags.set)).map(readAttribute))
  const attributes = parts.flat()
  const text = parts
    .toReversed()
    .map((part) => part.map(({ oid, value }) => `${shortNames[oid] ?? oid}=${escaped(value)}`).join('+'))
    .join(',')
  const country = only(attributes, COUNTRY)
  return { der: expected(der, derTags.sequence).whole, text, country, state: only(attributes, STATE) }
}

function readAttribute(der: Der): Attribute {
  const [type, value, ...more] = sequenceOf(der)
  if (value === undefined || more.length > 0) throw malformedDer('a name has a bad attribute')
  return { oid: oidOf(type), value: textOf(value) }
}

function textOf({ tag, content }: Der): string {
  // UTF8String; PrintableString, T61String, IA5String, NumericString, VisibleString; BMPString
  if (tag === 0x0c) return content.toString('utf8')
  if ([0x13, 0x14, 0x16, 0x12, 0x1a].includes(tag)) return content.toString('latin1')
  if (tag === 0x1e && content.length % 2 === 0) return Buffer.from(content).swap16().toString('utf16le')
  return `#${content.toString('hex')}`
}

function only(attributes: readonly Attribute[], oid: string): string | null {
  const [first, ...more] = attributes.filter((one) => one.oid === oid)
  return first !== undefined && more.length === 0 ? first.value : null
}

/** RFC 4514 2.4; control characters are replaced, since the text is displayed. */
function escaped(value: string): string {
  return value
    .replace(/\p{Cc}/gu, ' ')
    .replace(/[\\"+,;<>]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
}
