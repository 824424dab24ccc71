import type { Anchor, AnchorSet, Purpose } from './anchor.ts'
import type { Certificate } from './certificate.ts'
import type { PathFindingCode } from './path-findings.ts'
import { isSignedBy, isStrongAlgorithm } from './signature.ts'

/** Certificates from the leaf up; the last one is the anchor's when there is an anchor. */
export type Path = {
  readonly certificates: readonly Certificate[]
  readonly anchor: Anchor | null
  readonly findings: readonly PathFindingCode[]
}

/** [SEC-27] Certificates from the leaf to the anchor, both counted. */
export const PATH_LENGTH_MAX = 5

/**
 * Finds the way from the leaf to an anchor. RFC 7515 4.1.6 puts the certificates in order, so there is one way only; where it ends is
 * decided by the anchors and not by the chain.
 *
 * Checks names, signatures and key identifiers. Whether each certificate may do what it does is NOT checked here.
 *
 * @param chain Leaf first, self-signed ones already dropped.
 */
export function buildPath(chain: readonly Certificate[], anchors: AnchorSet, purpose: Purpose): Path {
  const findings: PathFindingCode[] = []
  const certificates: Certificate[] = []
  for (const [at, current] of chain.entries()) {
    certificates.push(current)
    const anchor = anchorOf(current, anchors, purpose)
    if (anchor !== null) return ended([...certificates, anchor.certificate], anchor, findings)
    const next = chain[at + 1]
    if (next === undefined)
      return { certificates, anchor: null, findings: [...findings, whyNoAnchor(current, anchors)] }
    const stop = stepTo(next, current, certificates)
    if (stop !== null) return { certificates, anchor: null, findings: [...findings, stop] }
    if (!isLinked(current, next)) findings.push('chain.authority_key')
  }
  return { certificates, anchor: null, findings: ['chain.empty'] }
}

/** Whether a certificate signed itself. */
export function isSelfSigned(one: Certificate): boolean {
  return one.issuer.der.equals(one.subject.der) && isSignedBy(one, one.publicKey)
}

function ended(certificates: readonly Certificate[], anchor: Anchor, found: readonly PathFindingCode[]): Path {
  const below = certificates.at(-2)
  const unlinked = below !== undefined && !isLinked(below, anchor.certificate) ? (['chain.authority_key'] as const) : []
  const long = certificates.length > PATH_LENGTH_MAX ? (['chain.too_long'] as const) : []
  return { certificates, anchor, findings: [...found, ...unlinked, ...long] }
}

/** [X5-3] The anchor of that name, for that purpose, whose key made the signature. */
function anchorOf(one: Certificate, anchors: AnchorSet, purpose: Purpose): Anchor | null {
  const named = anchors.named(one.issuer.der).filter(({ purposes }) => purposes.includes(purpose))
  return named.find(({ certificate }) => hasSigned(certificate, one)) ?? null
}

/** A signature that is too weak is not looked at: it is a finding of its own, whatever it says. */
function hasSigned(issuer: Certificate, one: Certificate): boolean {
  return isSignedBy(one, issuer.publicKey) || !isStrongAlgorithm(one.algorithm)
}

function whyNoAnchor(one: Certificate, anchors: AnchorSet): PathFindingCode {
  const named = anchors.named(one.issuer.der)
  if (named.length === 0) return 'chain.no_anchor'
  return named.some(({ certificate }) => hasSigned(certificate, one)) ? 'chain.anchor_purpose' : 'chain.anchor_key'
}

function stepTo(next: Certificate, current: Certificate, passed: readonly Certificate[]): PathFindingCode | null {
  // RFC 5280 6.1.3 (a) (4), byte by byte
  if (!current.issuer.der.equals(next.subject.der)) return 'chain.name'
  if (passed.some((one) => one.spki.equals(next.spki) && one.subject.der.equals(next.subject.der))) return 'chain.loop'
  return hasSigned(next, current) ? null : 'chain.signature'
}

/** RFC 5280 4.2.1.1: where both are stated, the key that the certificate names is the one that its issuer has. */
function isLinked(
  { extensions: { authorityKeyId } }: Certificate,
  { extensions: { subjectKeyId } }: Certificate,
): boolean {
  return authorityKeyId === null || subjectKeyId === null || authorityKeyId.equals(subjectKeyId)
}
