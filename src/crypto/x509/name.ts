import { childrenOf, type Der, derTags, expected, malformedDer, oidOf, sequenceOf } from './der.ts'
import { oid, printableString, sequence, setOf, utf8String } from './encode-der.ts'
import { oids } from './oids.ts'

/** A distinguished name. Two names are equal exactly if their `der` is; RFC 5280 7.1 would allow more. */
export type Name = {
  readonly der: Buffer
  /** As in RFC 4514: the most specific attribute first. Untrusted text of the certificate's creator. */
  readonly text: string
  /** `C`; null if there is none or more than one. */
  readonly country: string | null
  /** `ST`; null if there is none or more than one. */
  readonly state: string | null
  /** `CN`; null if there is none or more than one, or if it has one of the older string types. */
  readonly commonName: string | null
}

/** Maximum length of a common name. @see [RFC 5280, A.1 ub-common-name](https://www.rfc-editor.org/rfc/rfc5280#appendix-A.1) */
export const COMMON_NAME_CHARS_MAX = 64

/** Subject of our certificates and requests. `country`: ISO 3166-1 alpha-2 in upper case; null: none. */
export type SubjectName = { readonly country: string | null; readonly commonName: string }

type Attribute = { readonly type: string; readonly tag: number; readonly value: string }

const plainTags: ReadonlySet<number> = new Set([derTags.utf8String, derTags.printableString])
/** RFC 4514 3, and other attributes that occur in subjects. */
const shortNames: Readonly<Record<string, string>> = {
  [oids.commonName]: 'CN',
  '2.5.4.5': 'serialNumber',
  [oids.countryName]: 'C',
  '2.5.4.7': 'L',
  [oids.stateOrProvinceName]: 'ST',
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
    .map((part) => part.map(({ type, value }) => `${shortNames[type] ?? type}=${escaped(value)}`).join('+'))
    .join(',')
  const commonName = only(attributes, oids.commonName)
  return {
    der: expected(der, derTags.sequence).whole,
    text,
    country: only(attributes, oids.countryName)?.value ?? null,
    state: only(attributes, oids.stateOrProvinceName)?.value ?? null,
    // RFC 5280 4.1.2.4: UTF8String or PrintableString; certificates with the supported keys do not use the older types
    commonName: commonName !== null && plainTags.has(commonName.tag) ? commonName.value : null,
  }
}

/** The name in DER: country if there is one, then common name, each in the string type of ISO/IEC 18013-5 B.1. */
export function encodeName({ country, commonName }: SubjectName): Buffer {
  const named = setOf(sequence(oid(oids.commonName), utf8String(commonName)))
  if (country === null) return sequence(named)
  return sequence(setOf(sequence(oid(oids.countryName), printableString(country))), named)
}

function readAttribute(der: Der): Attribute {
  const [type, value, ...more] = sequenceOf(der)
  if (value === undefined || more.length > 0) throw malformedDer('a name has a bad attribute')
  return { type: oidOf(type), tag: value.tag, value: textOf(value) }
}

function textOf({ tag, content }: Der): string {
  // UTF8String; PrintableString, T61String, IA5String, NumericString, VisibleString; BMPString
  if (tag === 0x0c) return content.toString('utf8')
  if ([0x13, 0x14, 0x16, 0x12, 0x1a].includes(tag)) return content.toString('latin1')
  if (tag === 0x1e && content.length % 2 === 0) return Buffer.from(content).swap16().toString('utf16le')
  return `#${content.toString('hex')}`
}

function only(attributes: readonly Attribute[], type: string): Attribute | null {
  const [first, ...more] = attributes.filter((one) => one.type === type)
  return first !== undefined && more.length === 0 ? first : null
}

/** RFC 4514 2.4; control characters are replaced, since the text is displayed. */
function escaped(value: string): string {
  return value
    .replace(/\p{Cc}/gu, ' ')
    .replace(/[\\"+,;<>]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
}
