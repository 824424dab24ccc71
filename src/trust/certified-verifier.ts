import type { VerificationKey } from '../crypto/jwk.ts'
import type { AnchorSet } from '../crypto/x509-path/anchor.ts'
import type { PathAsk } from '../crypto/x509-path/validate-path.ts'
import { validatePath } from '../crypto/x509-path/validate-path.ts'
import { Fault } from '../fault.ts'
import type { ClientId } from '../protocols/openid4vp/client-id.ts'
import type { TrustNeeds } from './needs.ts'
import { revocationFor } from './revocation-lists.ts'

/** A verifier whose certificate is trusted. `name`: the subject, in the manner of RFC 4514. */
export type CertifiedVerifier = { readonly key: VerificationKey; readonly name: string }

/** What a chain is validated with. `revocation`: as `verifierRevocation` found. */
type Anchoring = { readonly anchors: AnchorSet; readonly now: Date; readonly revocation?: PathAsk['revocation'] }

/** [SEC-29] The revocation lists of a verifier's chain. @throws Fault `upstream.unreachable` */
export async function verifierRevocation(
  platform: Pick<TrustNeeds, 'fetch'>,
  x5c: readonly string[],
  { anchors, now }: Pick<Anchoring, 'anchors' | 'now'>,
): Promise<PathAsk['revocation']> {
  const chain = x5c.map((one) => Buffer.from(one, 'base64'))
  return revocationFor(platform, { chain, anchors, purpose: 'verifier', at: now }, now)
}

/**
 * Validates the chain of a presentation request, for verifiers, and that its leaf has the DNS name of the client id.
 *
 * NOT checked: that a client id with the prefix `x509_hash` is the hash of the leaf; whoever took the request apart did that.
 *
 * @param x5c Standard base64 of DER, leaf first.
 * @throws Fault `presentation_request.client`
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export function certifiedVerifier(
  x5c: readonly string[],
  { prefix, id }: Pick<ClientId, 'prefix' | 'id'>,
  { anchors, now, revocation }: Anchoring,
): CertifiedVerifier {
  const chain = x5c.map((one) => Buffer.from(one, 'base64'))
  const { ok, leaf, findings } = validatePath({
    chain,
    anchors,
    purpose: 'verifier',
    at: now,
    ...(revocation && { revocation }),
  })
  if (!ok || leaf?.publicKey == null) throw refused(findings.map(({ message }) => message).join(' '))
  // 5.9.3: a dNSName of the leaf; the name itself, not one that a wildcard stands for
  const names = leaf.extensions.subjectAltName.dns.map((name) => name.toLowerCase())
  if (prefix === 'x509_san_dns' && !names.includes(id.toLowerCase())) {
    throw refused('The certificate is not for the DNS name of client_id.')
  }
  return { key: leaf.publicKey, name: leaf.subject.text }
}

function refused(detail: string): Fault {
  return new Fault('presentation_request.client', { detail })
}
