import { type Certificate, readCertificate } from '../x509/certificate.ts'
import { isCritical } from '../x509/extension.ts'
import { oids } from '../x509/oids.ts'
import { profileExtensions } from '../x509/profile.ts'
import { isStrongKey } from '../x509/signature.ts'
import type { PathFindingCode } from './path-findings.ts'

/** Purposes of a chain. [X5-4] An anchor that is trusted for one purpose is not trusted for another. */
export const purposes = ['issuer', 'verifier', 'status', 'attester'] as const
/** One of {@link purposes}. */
export type Purpose = (typeof purposes)[number]

/** In {@link Anchor} `signerUsages`: a signer without the extension is accepted. */
export const NO_USAGE = 'none'

/**
 * A trusted certificate and its purposes. `owner`: the decision to trust it, e.g. the id of a trusted entity.
 *
 * `signerUsages`: object identifiers of extended key usages, or {@link NO_USAGE}. A signer of credentials or status
 * lists under this anchor has one of them, instead of those that its kind of credential requires. Empty or absent:
 * those.
 */
export type Anchor = {
  readonly certificate: Certificate
  readonly purposes: readonly Purpose[]
  readonly owner: string
  readonly signerUsages?: readonly string[]
}

/** Anchors, indexed by subject. */
export type AnchorSet = {
  /** Anchors with this subject, compared byte by byte, whatever their purposes. */
  readonly named: (name: Buffer) => readonly Anchor[]
  /** Whether a certificate is an anchor. */
  readonly has: (certificate: Pick<Certificate, 'fingerprint'>) => boolean
  readonly size: number
}

/** Indexes anchors. [X5-3] Path building selects them by subject and key, never by their position. */
export function anchorSetOf(anchors: readonly Anchor[]): AnchorSet {
  const byName = Map.groupBy(anchors, ({ certificate }) => certificate.subject.der.toString('latin1'))
  const fingerprints = new Set(anchors.map(({ certificate }) => certificate.fingerprint))
  return {
    named: (name) => byName.get(name.toString('latin1')) ?? [],
    has: ({ fingerprint }) => fingerprints.has(fingerprint),
    size: anchors.length,
  }
}

/** No anchors: no certificate is trusted. */
export const noAnchors: AnchorSet = anchorSetOf([])

/** Critical extensions that path validation supports. */
const supported: ReadonlySet<string> = new Set([...profileExtensions, oids.certificatePolicies])
/**
 * ISO/IEC 18013-5 Annex B forbids them everywhere; since we do not process them, they are refused even if not critical.
 */
const forbidden: ReadonlySet<string> = new Set([
  oids.policyMappings,
  oids.nameConstraints,
  oids.policyConstraints,
  oids.inhibitAnyPolicy,
  oids.freshestCrl,
])

/** Checks a certificate of a chain by itself, independent of its position and of time. */
export function checkPathCertificate({
  version,
  serial,
  publicKey,
  subject,
  extensions,
}: Certificate): readonly PathFindingCode[] {
  const found: PathFindingCode[] = []
  // RFC 5280 6.1.4 (k): without extensions it cannot be a certification authority
  if (version !== 3) found.push('certificate.version')
  // RFC 5280 4.1.2.2
  if (serial === '00') found.push('certificate.serial')
  if (!isStrongKey(publicKey)) found.push('certificate.weak_key')
  if (extensions.present.some(({ oid }) => forbidden.has(oid))) found.push('certificate.forbidden_extension')
  // RFC 5280 4.2.1.1, 4.2.1.2
  if ([oids.authorityKeyId, oids.subjectKeyId].some((oid) => isCritical(extensions, oid)))
    found.push('certificate.criticality')
  // RFC 5280 4.1.2.6: without a subject, the alternative name must be critical
  if (subject.text === '' && !isCritical(extensions, oids.subjectAltName)) found.push('certificate.subject')
  if (!extensions.subjectAltName.dns.every(isDnsName)) found.push('certificate.dns_name')
  // RFC 5280 4.2: a critical extension that is not recognized MUST lead to rejection
  if (extensions.present.some((one) => one.isCritical && !supported.has(one.oid) && !forbidden.has(one.oid))) {
    found.push('certificate.critical_extension')
  }
  return found
}

/** Checks whether a certificate may sign others. */
export function checkCertificationAuthority({ extensions }: Certificate): readonly PathFindingCode[] {
  const { basicConstraints, keyUsage } = extensions
  // RFC 5280 6.1.4 (k)
  if (!basicConstraints?.isCa) return ['ca.missing']
  // RFC 5280 4.2.1.9
  if (!isCritical(extensions, oids.basicConstraints)) return ['certificate.criticality']
  // RFC 5280 6.1.4 (n): if the extension is there
  return keyUsage === null || keyUsage.has('keyCertSign') ? [] : ['ca.key_usage']
}

/** RFC 5280 4.2.1.6: the preferred name syntax, which excludes addresses; the first label may be a wildcard. */
function isDnsName(name: string): boolean {
  const syntax = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i
  return syntax.test(name) && !/\.\d+$/.test(name)
}

/** Checks whether a certificate may be an anchor at a time; no findings if it may. */
export function checkAnchor(certificate: Certificate, now: Date): readonly PathFindingCode[] {
  const found = [...checkPathCertificate(certificate), ...checkCertificationAuthority(certificate)]
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
