import type { VerificationKey } from '../../crypto/jwk.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { type PathInput, validatePath } from '../../crypto/x509-path/validate-path.ts'
import { Fault } from '../../fault.ts'
import type { ClientId } from '../../protocols/openid4vp/client-id.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { OWN_ANCHOR, revocationFor } from '../revocation/revocation-lists.ts'
import { describeRoot, lacksOnlyAnchor, unknownRootOf } from './unanchored.ts'

/**
 * A verifier with a certificate. `name`: the subject (RFC 4514); null if it is not trusted. `isOwn`: certified by a
 * root of the tenant itself.
 */
export type CertifiedVerifier = {
  readonly key: VerificationKey
  readonly name: string | null
  readonly isOwn: boolean
  /** Subjects (RFC 4514) of the certificate and of what its chain leads to; `root` is null where that is not known. */
  readonly certificate: { readonly subject: string; readonly root: string | null }
  /** The trusted entity with the certificate that the chain leads to; null: of none, or of the tenant itself. */
  readonly entityId: string | null
}

/** What a chain is validated with. `revocation`: the result of `verifierRevocation`. */
type Anchoring = { readonly anchors: AnchorSet; readonly now: Date; readonly revocation?: PathInput['revocation'] }

/**
 * `address`: where the response goes, if a certificate of its host is accepted; null: only trusted chains. `operation`:
 * adds a trusted entity.
 */
type UntrustedPolicy = { readonly address: string | null; readonly operation: string }

/** [SEC-29] Returns the revocation lists of a verifier's chain. @throws Fault `upstream.unreachable` */
export async function verifierRevocation(
  platform: TrustNeeds,
  x5c: readonly string[],
  { anchors, now }: Pick<Anchoring, 'anchors' | 'now'>,
): Promise<PathInput['revocation']> {
  const chain = x5c.map((one) => Buffer.from(one, 'base64'))
  return revocationFor(platform, { chain, anchors, purpose: 'verifier', at: now }, now)
}

/**
 * Validates the chain of a presentation request for verifiers, and that its leaf has the DNS name of the client id. A
 * chain to an unknown root is accepted if its leaf names the host that the response goes to: the connection to that
 * host is authenticated. A self-signed certificate is accepted if a trusted entity has that very certificate.
 *
 * NOT checked: that a client id with the prefix `x509_hash` is the hash of the leaf; parsing the request object did
 * that.
 *
 * @param x5c Standard base64 of DER, leaf first.
 * @throws Fault `presentation_request.client`
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export function certifiedVerifier(
  x5c: readonly string[],
  { prefix, id }: Pick<ClientId, 'prefix' | 'id'>,
  { anchors, now, revocation }: Anchoring,
  { address, operation }: UntrustedPolicy,
): CertifiedVerifier {
  const chain = x5c.map((one) => Buffer.from(one, 'base64'))
  const { ok, leaf, anchor, findings } = validatePath({
    chain,
    anchors,
    purpose: 'verifier',
    at: now,
    pinned: true,
    ...(revocation && { revocation }),
  })
  // OpenID4VP 1.0, 5.9.3: a dNSName of the leaf; the name itself, not one that a wildcard matches
  const names = leaf?.extensions.subjectAltName.dns.map((name) => name.toLowerCase()) ?? []
  const isUnknown = lacksOnlyAnchor(findings)
  const isAccepted = ok || (isUnknown && address !== null && names.includes(new URL(address).hostname))
  if (!isAccepted || leaf?.publicKey == null) {
    const detail = findings.map(({ message }) => message).join(' ')
    const root = isUnknown ? unknownRootOf(chain) : null
    if (root === null) throw refused(detail)
    throw refused(`${detail} Trust the root ${describeRoot(root)} with ${operation}.`, { trust: { operation, root } })
  }
  if (prefix === 'x509_san_dns' && !names.includes(id.toLowerCase())) {
    throw refused('The certificate is not for the DNS name of client_id.')
  }
  const root = ok ? (anchor?.certificate.subject.text ?? null) : (unknownRootOf(chain)?.subject ?? null)
  const isOwn = ok && anchor?.owner === OWN_ANCHOR
  return {
    key: leaf.publicKey,
    name: ok ? leaf.subject.text : null,
    isOwn,
    certificate: { subject: leaf.subject.text, root },
    entityId: ok && !isOwn ? (anchor?.owner ?? null) : null,
  }
}

function refused(detail: string, meta?: Record<string, unknown>): Fault {
  return new Fault('presentation_request.client', { detail, ...(meta && { meta }) })
}
