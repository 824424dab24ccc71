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

/** Object identifiers of the extensions that are parsed or refused. */
export const extensionIds = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyId: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
} as const

/** Key usages, in the order of their bits. @see [RFC 5280, 4.2.1.3](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.3) */
const keyUsages = [
  ...(['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyAgreement'] as const),
  ...(['keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'] as const),
] as const
/** One of the nine key usages. */
type KeyUsage = (typeof keyUsages)[number]

/** General names of the supported kinds. */
type AltNames = {
  readonly dns: readonly string[]
  readonly uris: readonly string[]
  readonly emails: readonly string[]
}

/** Parsed extensions of a certificate; null or empty if absent. */
export type Extensions = {
  readonly present: readonly { readonly oid: string; readonly isCritical: boolean; readonly value: Buffer }[]
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
    basicConstraints: read(extensionIds.basicConstraints, readBasicConstraints),
    keyUsage: read(extensionIds.keyUsage, readKeyUsage),
    extendedKeyUsage: read(extensionIds.extendedKeyUsage, (value) => sequenceOf(value).map(oidOf)),
    subjectKeyId: read(extensionIds.subjectKeyId, (value) => expected(value, derTags.octetString).content),
    // 4.2.1.1: [0] keyIdentifier
    authorityKeyId: read(
      extensionIds.authorityKeyId,
      (value) => sequenceOf(value).find(({ tag }) => tag === 0x80)?.content ?? null,
    ),
    subjectAltName: read(extensionIds.subjectAltName, readAltNames) ?? noNames,
    issuerAltName: read(extensionIds.issuerAltName, readAltNames) ?? noNames,
    crlUrls: read(extensionIds.crlDistributionPoints, readCrlUrls) ?? [],
  }
}

/** Parses the extensions of a certificate, a CRL or an entry of one, without their values. @throws Fault `certificate.invalid` */
export function readAll(der: Der): Extensions['present'] {
  const found = sequenceOf(der).map((one) => {
    const parts = sequenceOf(one)
    const [oid, second] = parts
    const isCritical = second?.tag === derTags.boolean && booleanOf(second)
    const value = parts.at(-1)
    if (parts.length !== (second?.tag === derTags.boolean ? 3 : 2)) throw malformedDer('an extension is malformed')
    return { oid: oidOf(oid), isCritical, value: expected(value, derTags.octetString).content }
  })
  // 4.2: a certificate MUST NOT include more than one instance of a particular extension
  if (new Set(found.map(({ oid }) => oid)).size < found.length) throw malformedDer('an extension is there twice')
  return found
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
  const of = (tag: number) => names.filter((one) => one.tag === tag).map(asciiOf)
  // 4.2.1.6: [1] rfc822Name, [2] dNSName, [6] uniformResourceIdentifier
  return { emails: of(0x81), dns: of(0x82), uris: of(0x86) }
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
    // 4.2.1.13: [1] reasons and [2] cRLIssuer make it a partial list or that of another issuer
    if (parts.some(({ tag }) => tag === 0xa1 || tag === 0xa2)) return []
    const fullName = parts
      .filter(({ tag }) => tag === 0xa0)
      .flatMap(childrenOf)
      .filter(({ tag }) => tag === 0xa0)
    return fullName
      .flatMap(childrenOf)
      .filter(({ tag }) => tag === 0x86)
      .map(asciiOf)
  })
}
