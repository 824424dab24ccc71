import { type Certificate, isSelfIssued } from '../x509/certificate.ts'
import type { Crl } from '../x509/crl.ts'
import { oids } from '../x509/oids.ts'
import { isStrongAlgorithm } from '../x509/signature.ts'
import {
  type Anchor,
  type AnchorSet,
  checkCertificationAuthority,
  checkPathCertificate,
  NO_USAGE,
  type Purpose,
  readChain,
} from './anchor.ts'
import { isSelfSigned, PATH_LENGTH_MAX, pathsOf } from './build-path.ts'
import { mdlSigner, usagesOf } from './extended-key-usage.ts'
import { type PathFinding, type PathFindingCode, pathFinding } from './path-findings.ts'
import { type RevocationPolicy, revocationOf } from './revocation.ts'

/** Input of path validation. */
export type PathInput = {
  /** DER, leaf first. */
  readonly chain: readonly Uint8Array[]
  readonly anchors: AnchorSet
  readonly purpose: Purpose
  /** Time at which the leaf's key was used: all certificates must be valid then. */
  readonly at: Date
  /**
   * The leaf must have one of these extended key usages. By default, a leaf that lists usages must have one of the
   * purpose.
   */
  readonly extendedKeyUsage?: readonly string[]
  /** The rules of ISO/IEC 18013-5 Annex B about country and state. Always applied to a document signer. */
  readonly iaca?: boolean
  /** [X5-5] A self-signed certificate in the chain is skipped, or with `refused` (HAIP) a finding. */
  readonly selfSigned?: 'dropped' | 'refused'
  /**
   * A self-signed certificate alone is accepted if it is an anchor of the purpose itself, and no certification
   * authority.
   */
  readonly pinned?: boolean
  /** Revocation lists and their policy; by default `none`. They must be current at `now`, by default `at`. */
  readonly revocation?: { readonly crls: readonly Crl[]; readonly policy: RevocationPolicy; readonly now?: Date }
}

/**
 * Result of path validation. With findings, nothing in the chain is trustworthy. `leaf` is null if it cannot be parsed.
 */
export type PathResult = {
  readonly ok: boolean
  readonly findings: readonly PathFinding[]
  readonly leaf: Certificate | null
  /** From the leaf to the anchor. Empty unless `ok`. */
  readonly path: readonly Certificate[]
  readonly anchor: Anchor | null
}

/**
 * Path validation by RFC 5280 6.1, with the additions of ISO/IEC 18013-5 Annex B. Pure: no clock, nothing is fetched.
 *
 * NOT checked: whether the leaf's names are those of its user. Certificate policies are not processed; name and policy
 * constraints are refused.
 *
 * @see [RFC 5280, 6.1](https://www.rfc-editor.org/rfc/rfc5280#section-6.1)
 */
export function validatePath(input: PathInput): PathResult {
  if (input.chain.length === 0) return refused(null, ['chain.empty'])
  if (input.chain.length > PATH_LENGTH_MAX) return refused(null, ['chain.too_long'])
  const [leaf, ...others] = readChain(input.chain) ?? []
  if (leaf === undefined) return refused(null, ['chain.malformed'])
  const pin = input.pinned === true && others.length === 0 ? pinOf(leaf, input) : null
  if (pin !== null) {
    const findings = checkCertificates([leaf], input, null)
    if (findings.length > 0) return refused(leaf, findings)
    return { ok: true, findings: [], leaf, path: [leaf], anchor: pin }
  }
  // [SEC-27] an anchor signs certificates only
  if (input.anchors.has(leaf)) return refused(leaf, ['leaf.is_anchor'])
  if (isSelfSigned(leaf)) return refused(leaf, ['leaf.self_signed'])
  const kept = others.filter((one) => !isSelfSigned(one))
  if (input.selfSigned === 'refused' && kept.length < others.length) return refused(leaf, ['chain.self_signed'])
  // The findings of the first path are returned if no path is valid.
  let firstFindings: readonly PathFindingCode[] = []
  for (const { certificates: path, anchor, findings } of pathsOf([leaf, ...kept], input.anchors, input.purpose)) {
    const all = [
      ...findings,
      ...checkCertificates(path, input, anchor),
      ...(anchor === null ? [] : checkAnchored(path, input)),
    ]
    if (all.length === 0) return { ok: true, findings: [], leaf, path, anchor }
    if (firstFindings.length === 0) firstFindings = all
  }
  return refused(leaf, firstFindings)
}

/** Returns the anchor that is this very self-signed certificate. [X5-4] */
function pinOf(leaf: Certificate, { anchors, purpose }: PathInput): Anchor | null {
  if (!isSelfSigned(leaf)) return null
  const same = anchors.named(leaf.subject.der).filter(({ certificate }) => certificate.fingerprint === leaf.fingerprint)
  return same.find(({ purposes }) => purposes.includes(purpose)) ?? null
}

function refused(leaf: Certificate | null, codes: readonly PathFindingCode[]): PathResult {
  return { ok: false, findings: [...new Set(codes)].map(pathFinding), leaf, path: [], anchor: null }
}

function checkCertificates(
  path: readonly Certificate[],
  { at, purpose, extendedKeyUsage }: PathInput,
  anchor: Anchor | null,
): readonly PathFindingCode[] {
  const [leaf, ...above] = path
  const stated = purpose === 'issuer' || purpose === 'status' ? (anchor?.signerUsages ?? []) : []
  const required = stated.length > 0 ? stated : extendedKeyUsage
  const usages = usagesOf(purpose, required)
  const isRequired = required !== undefined && !stated.includes(NO_USAGE)
  const each = path.flatMap((one) => [...checkPathCertificate(one), ...validityOf(one, at)])
  const authorities = above.flatMap((one, index) => authorityFindings(one, above.slice(0, index), usages))
  return [...(leaf === undefined ? [] : leafFindings(leaf, usages, isRequired)), ...each, ...authorities]
}

/** RFC 5280 6.1.3 (a) (2), at the time of use */
function validityOf({ notBefore, notAfter }: Certificate, at: Date): readonly PathFindingCode[] {
  if (at < notBefore) return ['certificate.not_yet_valid']
  // RFC 5280 4.1.2.5: through the second of notAfter
  return at.getTime() >= notAfter.getTime() + 1000 ? ['certificate.expired'] : []
}

function leafFindings({ extensions }: Certificate, usages: ReadonlySet<string>, isRequired: boolean) {
  const { basicConstraints, keyUsage, extendedKeyUsage } = extensions
  const found: PathFindingCode[] = []
  // [SEC-27] a CA certificate used as signer. RFC 5280 4.2.1.9: only a CA signs certificates
  if (basicConstraints?.isCa || keyUsage?.has('keyCertSign')) found.push('leaf.is_ca')
  // RFC 5280 4.2.1.3
  if (keyUsage !== null && !keyUsage.has('digitalSignature')) found.push('leaf.key_usage')
  // RFC 5280 4.2.1.12: only for one of the purposes indicated
  if (extendedKeyUsage === null ? isRequired : !extendedKeyUsage.some((one) => usages.has(one))) {
    found.push('leaf.extended_key_usage')
  }
  return found
}

/** @param between The certificates between it and the leaf. */
function authorityFindings(one: Certificate, between: readonly Certificate[], usages: ReadonlySet<string>) {
  const { basicConstraints, extendedKeyUsage } = one.extensions
  const found: PathFindingCode[] = [...checkCertificationAuthority(one)]
  // RFC 5280 6.1.4 (l), (m): self-issued ones do not count
  const followers = between.filter((one) => !isSelfIssued(one)).length
  if (followers > (basicConstraints?.pathLength ?? Number.POSITIVE_INFINITY)) found.push('ca.path_length')
  const fits = (oid: string) => usages.has(oid) || oid === oids.anyExtendedKeyUsage
  if (extendedKeyUsage !== null && !extendedKeyUsage.some(fits)) found.push('ca.extended_key_usage')
  return found
}

/** Checks that apply only to a path with an anchor. */
function checkAnchored(path: readonly Certificate[], input: PathInput): readonly PathFindingCode[] {
  const below = path.slice(0, -1)
  const weak = below.some(({ algorithm }) => !isStrongAlgorithm(algorithm))
  return [
    ...(weak ? (['certificate.weak_signature'] as const) : []),
    ...placeFindings(path, input),
    ...revocations(path, input),
  ]
}

/** [X5-3] the same country; the same state where both name one */
function placeFindings(path: readonly Certificate[], { iaca = false }: PathInput): readonly PathFindingCode[] {
  const [leaf, root] = [path[0], path.at(-1)]
  if (leaf === undefined || root === undefined) return []
  if (!iaca && !leaf.extensions.extendedKeyUsage?.some((one) => mdlSigner.has(one))) return []
  const found: PathFindingCode[] = []
  if (leaf.subject.country === null || leaf.subject.country !== root.subject.country) found.push('iaca.country')
  const states = [leaf.subject.state, root.subject.state]
  if (!states.includes(null) && states[0] !== states[1]) found.push('iaca.state')
  return found
}

/** [SEC-29] */
function revocations(path: readonly Certificate[], { revocation, at }: PathInput): readonly PathFindingCode[] {
  if (revocation === undefined) return []
  const input = { ...revocation, now: revocation.now ?? at }
  return path.slice(0, -1).flatMap((one, index) => {
    const issuer = path[index + 1]
    return (issuer === undefined ? null : revocationOf(one, issuer, input)) ?? []
  })
}
