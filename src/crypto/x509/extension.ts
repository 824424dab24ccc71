import {
  booleanOf,
  childrenOf,
  type Der,
  derTags,
  expected,
  malformedDer,
  namedBitsOf,
  oidOf,
  readDer,
  sequenceOf,
  smallIntegerOf,
} from './der.ts'
import { boolean, derInteger, explicit, implicit, namedBits, octetString, oid, sequence } from './encode-der.ts'
import { oids } from './oids.ts'

/** Key usages, in the order of their bits. @see [RFC 5280, 4.2.1.3](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.3) */
const keyUsages = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
/** One of the nine key usages. */
export type KeyUsage = (typeof keyUsages)[number]

/** One extension; `value` is the DER inside of its OCTET STRING. */
export type Extension = { readonly oid: string; readonly isCritical: boolean; readonly value: Buffer }

/** A general name of a supported kind. @see RFC 5280, 4.2.1.6 */
export type GeneralName = { readonly kind: keyof typeof nameTags; readonly value: string }
/** The context tags of general names. */
const nameTags = { email: 1, dns: 2, uri: 6, ip: 7 } as const

/** The names in an extension, without addresses. */
type AltNames = {
  readonly dns: readonly string[]
  readonly uris: readonly string[]
  readonly emails: readonly string[]
}

/** Parsed extensions of a certificate; null or empty if absent. */
export type Extensions = {
  readonly present: readonly Extension[]
  readonly basicConstraints: { readonly isCa: boolean; readonly pathLength: number | null } | null
  readonly keyUsage: ReadonlySet<KeyUsage> | null
  readonly extendedKeyUsage: readonly string[] | null
  readonly subjectKeyId: Buffer | null
  readonly authorityKeyId: Buffer | null
  readonly subjectAltName: AltNames
  readonly issuerAltName: AltNames
  /** Addresses of complete CRLs of the issuer itself. */
  readonly crlUrls: readonly string[]
}

/** Reads the SEQUENCE of extensions, undefined for none. @throws Fault `certificate.invalid` */
export function readExtensions(der: Der | undefined): Extensions {
  const present = der === undefined ? [] : readAll(der)
  const read = <T>(oid: string, reader: (value: Der) => T): T | null => {
    const found = present.find((one) => one.oid === oid)
    return found === undefined ? null : reader(readDer(found.value))
  }
  const noNames: AltNames = { dns: [], uris: [], emails: [] }
  return {
    present,
    basicConstraints: read(oids.basicConstraints, readBasicConstraints),
    keyUsage: read(oids.keyUsage, readKeyUsage),
    extendedKeyUsage: read(oids.extendedKeyUsage, (value) => sequenceOf(value).map(oidOf)),
    subjectKeyId: read(oids.subjectKeyId, (value) => expected(value, derTags.octetString).content),
    // RFC 5280 4.2.1.1: [0] keyIdentifier
    authorityKeyId: read(
      oids.authorityKeyId,
      (value) => sequenceOf(value).find(({ tag }) => tag === 0x80)?.content ?? null,
    ),
    subjectAltName: read(oids.subjectAltName, readAltNames) ?? noNames,
    issuerAltName: read(oids.issuerAltName, readAltNames) ?? noNames,
    crlUrls: read(oids.crlDistributionPoints, readCrlUrls) ?? [],
  }
}

/**
 * Parses the extensions of a certificate, a CRL or an entry of one, without their values.
 *
 * @throws Fault `certificate.invalid`
 */
export function readAll(der: Der): readonly Extension[] {
  const found = sequenceOf(der).map((one) => {
    const parts = sequenceOf(one)
    const [oid, second] = parts
    const isCritical = second?.tag === derTags.boolean && booleanOf(second)
    const value = parts.at(-1)
    if (parts.length !== (second?.tag === derTags.boolean ? 3 : 2)) throw malformedDer('an extension is malformed')
    return { oid: oidOf(oid), isCritical, value: expected(value, derTags.octetString).content }
  })
  // RFC 5280 4.2: a certificate MUST NOT include more than one instance of a particular extension
  if (new Set(found.map(({ oid }) => oid)).size < found.length) throw malformedDer('an extension is there twice')
  return found
}

/** Returns the value of an extension, or null if it is absent. */
export function extensionValue({ present }: Pick<Extensions, 'present'>, type: string): Buffer | null {
  return present.find(({ oid }) => oid === type)?.value ?? null
}

/** Whether an extension is present and critical. */
export function isCritical({ present }: Pick<Extensions, 'present'>, type: string): boolean {
  return present.some((one) => one.oid === type && one.isCritical)
}

function readBasicConstraints(value: Der) {
  const parts = sequenceOf(value)
  const [first] = parts
  const isCa = first?.tag === derTags.boolean && booleanOf(first)
  const rest = first?.tag === derTags.boolean ? parts.slice(1) : parts
  if (rest.length > 1) throw malformedDer('the basic constraints are malformed')
  return { isCa, pathLength: rest.length === 0 ? null : smallIntegerOf(rest[0]) }
}

function readKeyUsage(value: Der): ReadonlySet<KeyUsage> {
  const bytes = namedBitsOf(value)
  return new Set(keyUsages.filter((_, bit) => ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1))
}

function readAltNames(value: Der): AltNames {
  const names = sequenceOf(value)
  const of = (kind: GeneralName['kind']) => names.filter(isOfKind(kind)).map(asciiOf)
  return { emails: of('email'), dns: of('dns'), uris: of('uri') }
}

/** IA5String without control characters: a NUL could hide the rest of a name. */
function asciiOf({ content }: Der): string {
  const text = content.toString('latin1')
  if (!/^[\x20-\x7e]+$/.test(text)) throw malformedDer('a name is not printable ASCII')
  return text
}

function readCrlUrls(value: Der): readonly string[] {
  return sequenceOf(value).flatMap((point) => {
    const parts = sequenceOf(point)
    // RFC 5280 4.2.1.13: [1] reasons and [2] cRLIssuer make it a partial list or that of another issuer
    if (parts.some(({ tag }) => tag === 0xa1 || tag === 0xa2)) return []
    const fullName = parts
      .filter(({ tag }) => tag === 0xa0)
      .flatMap(childrenOf)
      .filter(({ tag }) => tag === 0xa0)
    return fullName.flatMap(childrenOf).filter(isOfKind('uri')).map(asciiOf)
  })
}

function isOfKind(kind: GeneralName['kind']): (name: Der) => boolean {
  return ({ tag }) => tag === (0x80 | nameTags[kind])
}

/** Extensions as a certificate or a request carries them. */
export function encodeExtensions(extensions: readonly Extension[]): Buffer {
  return sequence(
    ...extensions.map(({ oid: type, isCritical, value }) =>
      // FALSE is the default, and DER leaves defaults out (X.690, 11.5).
      isCritical ? sequence(oid(type), boolean(true), octetString(value)) : sequence(oid(type), octetString(value)),
    ),
  )
}

/** @param keyId SHA-1 of the key's bits. */
export function subjectKeyIdentifier(keyId: Buffer): Extension {
  return { oid: oids.subjectKeyId, isCritical: false, value: octetString(keyId) }
}

/** Names the key that signs by its subject key identifier. */
export function authorityKeyIdentifier(keyId: Buffer): Extension {
  return { oid: oids.authorityKeyId, isCritical: false, value: sequence(implicit(0, keyId)) }
}

/** The uses of a key. */
export function keyUsage(...usages: readonly KeyUsage[]): Extension {
  const value = namedBits(...usages.map((one) => keyUsages.indexOf(one)))
  return { oid: oids.keyUsage, isCritical: true, value }
}

/** A certificate authority that signs end entities only. */
export function authorityOfLeafs(): Extension {
  return { oid: oids.basicConstraints, isCritical: true, value: sequence(boolean(true), derInteger(0)) }
}

/** @param purposes Dotted object identifiers. */
export function extendedKeyUsage(...purposes: readonly string[]): Extension {
  return { oid: oids.extendedKeyUsage, isCritical: true, value: sequence(...purposes.map(oid)) }
}

/** Other names of the subject. */
export function subjectAltName(names: readonly GeneralName[]): Extension {
  return { oid: oids.subjectAltName, isCritical: false, value: generalNames(names) }
}

/** Other names of the issuer. */
export function issuerAltName(names: readonly GeneralName[]): Extension {
  return { oid: oids.issuerAltName, isCritical: false, value: generalNames(names) }
}

/** The address of the revocation list: one URI, all reasons, signed by the issuer of the certificate itself. */
export function crlDistributionPoint(uri: string): Extension {
  // The inner [0] is implicit for the SEQUENCE of general names, the outer one explicit around the choice; both have
  // the same encoding.
  const fullName = explicit(0, encodeGeneralName({ kind: 'uri', value: uri }))
  return { oid: oids.crlDistributionPoints, isCritical: false, value: sequence(sequence(explicit(0, fullName))) }
}

/** Number of a revocation list. @param number Grows with each list. */
export function crlNumber(number: number): Extension {
  return { oid: oids.crlNumber, isCritical: false, value: derInteger(number) }
}

function generalNames(names: readonly GeneralName[]): Buffer {
  return sequence(...names.map(encodeGeneralName))
}

function encodeGeneralName({ kind, value }: GeneralName): Buffer {
  const bytes = kind === 'ip' ? addressBytes(value) : Buffer.from(value, 'latin1')
  return implicit(nameTags[kind], bytes)
}

/** RFC 5280 4.2.1.6: the octets of the address in network order. */
function addressBytes(address: string): Buffer {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [front, back] = [groups(head), groups(tail ?? '')]
  const middle = new Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0')
  return Buffer.from([...front, ...middle, ...back].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
