import type { Anchor, AnchorSet, Purpose } from './anchor.ts'
import type { Certificate } from './certificate.ts'
import type { PathFindingCode } from './path-findings.ts'
import { isSignedBy, isStrongAlgorithm } from './signature.ts'

/** Certificates from the leaf up; the last one is the anchor's when there is an anchor. */
type Path = {
  readonly certificates: readonly Certificate[]
  readonly anchor: Anchor | null
  readonly findings: readonly PathFindingCode[]
}

/** [SEC-27] Certificates from the leaf to the anchor, both counted. */
export const PATH_LENGTH_MAX = 5

/**
 * The ways from the leaf to an anchor, made one after the other; if there is none, how far the chain leads and why it ends there. RFC 7515
 * 4.1.6 puts the certificates in order, so they differ only in where they end, which is decided by the anchors and not by the chain.
 *
 * Checks names, signatures and key identifiers. Whether each certificate may do what it does is NOT checked here.
 *
 * @param chain Leaf first, self-signed ones already dropped; not empty.
 */
export function* pathsOf(chain: readonly Certificate[], anchors: AnchorSet, purpose: Purpose): Generator<Path> {
  const findings: PathFindingCode[] = []
  let isAnchored = false
  for (const [at, current] of chain.entries()) {
    const certificates = chain.slice(0, at + 1)
    for (const anchor of anchorsOf(current, anchors, purpose)) {
      isAnchored = true
      yield ended([...certificates, anchor.certificate], anchor, findings)
    }
    const next = chain[at + 1]
    const stop = next === undefined ? whyNoAnchor(current, anchors) : stepTo(next, current, certificates)
    if (next === undefined || stop !== null) {
      if (!isAnchored && stop !== null) yield { certificates, anchor: null, findings: [...findings, stop] }
      return
    }
    if (!isLinked(current, next)) findings.push('chain.authority_key')
  }
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

/** [X5-3] The anchors of that name, for that purpose, whose key made the signature: one that is renewed is there twice. */
function anchorsOf(one: Certificate, anchors: AnchorSet, purpose: Purpose): readonly Anchor[] {
  const named = anchors.named(one.issuer.der).filter(({ purposes }) => purposes.includes(purpose))
  return named.filter(({ certificate }) => hasSigned(certificate, one))
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
