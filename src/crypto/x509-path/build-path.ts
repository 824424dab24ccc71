import { type Certificate, isSelfIssued } from '../x509/certificate.ts'
import { isSignedBy, isStrongAlgorithm } from '../x509/signature.ts'
import type { Anchor, AnchorSet, Purpose } from './anchor.ts'
import type { PathFindingCode } from './path-findings.ts'

/** Certificates from the leaf up; with an anchor, the last one is the anchor's. */
type Path = {
  readonly certificates: readonly Certificate[]
  readonly anchor: Anchor | null
  readonly findings: readonly PathFindingCode[]
}

/** [SEC-27] Maximum number of certificates from the leaf to the anchor, both included. */
export const PATH_LENGTH_MAX = 5

/**
 * Generates the paths from the leaf to an anchor; without any, one path as far as the chain leads, with the reason why
 * it ends there. The chain is in order (RFC 7515 4.1.6), so the paths differ only in the anchor at which they end.
 *
 * Checks names, signatures and key identifiers. NOT checked: whether each certificate may have its role.
 *
 * @param chain Leaf first, without self-signed certificates; not empty.
 */
export function* pathsOf(chain: readonly Certificate[], anchors: AnchorSet, purpose: Purpose): Generator<Path> {
  const findings: PathFindingCode[] = []
  let isAnchored = false
  for (const [at, current] of chain.entries()) {
    const certificates = chain.slice(0, at + 1)
    for (const anchor of anchorsOf(current, anchors, purpose)) {
      isAnchored = true
      yield anchoredPath([...certificates, anchor.certificate], anchor, findings)
    }
    const next = chain[at + 1]
    const stop = next === undefined ? missingAnchorFinding(current, anchors) : checkLink(next, current, certificates)
    if (next === undefined || stop !== null) {
      if (!isAnchored && stop !== null) yield { certificates, anchor: null, findings: [...findings, stop] }
      return
    }
    if (!isLinked(current, next)) findings.push('chain.authority_key')
  }
}

/** Whether a certificate is self-signed. */
export function isSelfSigned(one: Certificate): boolean {
  return isSelfIssued(one) && isSignedBy(one, one.publicKey)
}

function anchoredPath(certificates: readonly Certificate[], anchor: Anchor, found: readonly PathFindingCode[]): Path {
  const below = certificates.at(-2)
  const unlinked = below !== undefined && !isLinked(below, anchor.certificate) ? (['chain.authority_key'] as const) : []
  const long = certificates.length > PATH_LENGTH_MAX ? (['chain.too_long'] as const) : []
  return { certificates, anchor, findings: [...found, ...unlinked, ...long] }
}

/** [X5-3] The anchors with that subject and purpose whose key made the signature; a renewed one occurs twice. */
function anchorsOf(one: Certificate, anchors: AnchorSet, purpose: Purpose): readonly Anchor[] {
  const named = anchors.named(one.issuer.der).filter(({ purposes }) => purposes.includes(purpose))
  return named.filter(({ certificate }) => hasSigned(certificate, one))
}

/** A weak signature is not verified: it has a finding of its own in any case. */
function hasSigned(issuer: Certificate, one: Certificate): boolean {
  return isSignedBy(one, issuer.publicKey) || !isStrongAlgorithm(one.algorithm)
}

function missingAnchorFinding(one: Certificate, anchors: AnchorSet): PathFindingCode {
  const named = anchors.named(one.issuer.der)
  if (named.length === 0) return 'chain.no_anchor'
  return named.some(({ certificate }) => hasSigned(certificate, one)) ? 'chain.anchor_purpose' : 'chain.anchor_key'
}

function checkLink(next: Certificate, current: Certificate, passed: readonly Certificate[]): PathFindingCode | null {
  // RFC 5280 6.1.3 (a) (4), byte by byte
  if (!current.issuer.der.equals(next.subject.der)) return 'chain.name'
  if (passed.some((one) => one.spki.equals(next.spki) && one.subject.der.equals(next.subject.der))) return 'chain.loop'
  return hasSigned(next, current) ? null : 'chain.signature'
}

/** RFC 5280 4.2.1.1: if both are present, the authority key identifier equals the issuer's subject key identifier. */
function isLinked(
  { extensions: { authorityKeyId } }: Certificate,
  { extensions: { subjectKeyId } }: Certificate,
): boolean {
  return authorityKeyId === null || subjectKeyId === null || authorityKeyId.equals(subjectKeyId)
}
