import { type Certificate, readCertificate } from './certificate.ts'
import { extensionIds, isCritical } from './extensions.ts'
import type { PathFindingCode } from './path-findings.ts'
import { isStrongKey } from './signature.ts'

/** What a chain is used for. [X5-4] Who is trusted for one purpose is not trusted for another. */
export const purposes = ['issuer', 'verifier', 'status'] as const
/** One of {@link purposes}. */
export type Purpose = (typeof purposes)[number]

/** A certificate that somebody decided to trust, and for what. `owner`: by which decision, e.g. the id of a trusted entity. */
export type Anchor = {
  readonly certificate: Certificate
  readonly purposes: readonly Purpose[]
  readonly owner: string
}

/** Anchors, to be found by name. */
export type AnchorSet = {
  /** Those whose subject is this name, byte by byte, whatever they are trusted for. */
  readonly named: (name: Buffer) => readonly Anchor[]
  /** Whether a certificate is itself an anchor. */
  readonly has: (certificate: Pick<Certificate, 'fingerprint'>) => boolean
  readonly size: number
}

/** Puts anchors together. [X5-3] They are looked up by name and then tried by key, never by their place. */
export function anchorSetOf(anchors: readonly Anchor[]): AnchorSet {
  const byName = Map.groupBy(anchors, ({ certificate }) => certificate.subject.der.toString('latin1'))
  const fingerprints = new Set(anchors.map(({ certificate }) => certificate.fingerprint))
  return {
    named: (name) => byName.get(name.toString('latin1')) ?? [],
    has: ({ fingerprint }) => fingerprints.has(fingerprint),
    size: anchors.length,
  }
}

/** Trusts nobody. */
export const noAnchors: AnchorSet = anchorSetOf([])

/** Critical extensions that path validation understands. */
const understood: ReadonlySet<string> = new Set([
  extensionIds.subjectKeyId,
  extensionIds.keyUsage,
  extensionIds.subjectAltName,
  extensionIds.issuerAltName,
  extensionIds.basicConstraints,
  extensionIds.crlDistributionPoints,
  extensionIds.certificatePolicies,
  extensionIds.authorityKeyId,
  extensionIds.extendedKeyUsage,
])
/** ISO/IEC 18013-5 Annex B forbids them everywhere; as we do not process them, they are refused critical or not. */
const forbidden: ReadonlySet<string> = new Set([
  extensionIds.policyMappings,
  extensionIds.nameConstraints,
  extensionIds.policyConstraints,
  extensionIds.inhibitAnyPolicy,
  extensionIds.freshestCrl,
])

/** What is wrong with any certificate of a chain by itself, whatever its place and the time. */
export function objectionsTo({
  version,
  serial,
  publicKey,
  subject,
  extensions,
}: Certificate): readonly PathFindingCode[] {
  const found: PathFindingCode[] = []
  // RFC 5280 6.1.4 (k): without extensions nothing says that it is a certification authority
  if (version !== 3) found.push('certificate.version')
  // RFC 5280 4.1.2.2
  if (serial === '00') found.push('certificate.serial')
  if (!isStrongKey(publicKey)) found.push('certificate.weak_key')
  if (extensions.present.some(({ oid }) => forbidden.has(oid))) found.push('certificate.forbidden_extension')
  // RFC 5280 4.2.1.1, 4.2.1.2
  if ([extensionIds.authorityKeyId, extensionIds.subjectKeyId].some((oid) => isCritical(extensions, oid)))
    found.push('certificate.criticality')
  // RFC 5280 4.1.2.6: without a subject, the alternative names stand for it
  if (subject.text === '' && !isCritical(extensions, extensionIds.subjectAltName)) found.push('certificate.subject')
  if (!extensions.subjectAltName.dns.every(isDnsName)) found.push('certificate.dns_name')
  // RFC 5280 4.2: a critical extension that is not recognized MUST lead to rejection
  if (extensions.present.some((one) => one.isCritical && !understood.has(one.oid) && !forbidden.has(one.oid))) {
    found.push('certificate.critical_extension')
  }
  return found
}

/** What keeps a certificate from being one that signs others. */
export function objectionsToCa({ extensions }: Certificate): readonly PathFindingCode[] {
  const { basicConstraints, keyUsage } = extensions
  // RFC 5280 6.1.4 (k)
  if (!basicConstraints?.isCa) return ['ca.missing']
  // RFC 5280 4.2.1.9
  if (!isCritical(extensions, extensionIds.basicConstraints)) return ['certificate.criticality']
  // RFC 5280 6.1.4 (n): if the extension is there
  return keyUsage === null || keyUsage.has('keyCertSign') ? [] : ['ca.key_usage']
}

/** RFC 5280 4.2.1.6: the preferred name syntax, of which an address is none; a wildcard may stand for the first label. */
function isDnsName(name: string): boolean {
  const syntax = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i
  return syntax.test(name) && !/\.\d+$/.test(name)
}

/** What keeps a certificate from being an anchor at a time. Nothing: it may be trusted. */
export function objectionsToAnchor(certificate: Certificate, now: Date): readonly PathFindingCode[] {
  const found = [...objectionsTo(certificate), ...objectionsToCa(certificate)]
  return certificate.notAfter < now ? [...found, 'certificate.expired'] : found
}

/** Reads the certificates of a chain; null if one of them is not well-formed. */
export function readChain(chain: readonly Uint8Array[]): readonly Certificate[] | null {
  try {
    return chain.map(readCertificate)
  } catch {
    return null
  }
}
