import type { VerificationKey } from '../../crypto/jwk.ts'
import type { Jws } from '../../crypto/jws.ts'
import { type AnchorSet, noAnchors } from '../../crypto/x509-path/anchor.ts'
import { issuerKeySource, type KeyMechanism } from '../../protocols/sd-jwt-vc/issuer-key.ts'
import { didKey } from '../did/did-key.ts'
import type { TrustFinding } from '../lookups/finding.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { certifiedIssuer, type UsedChain } from './certified-issuer.ts'
import { metadataKey } from './issuer-metadata-key.ts'

/** An issuer, and the key that its signature is verified with. */
export type ResolvedIssuer = {
  /** DID or https identifier; with a certificate `iss` if the certificate is for it, else the subject (RFC 4514). */
  readonly issuer: string
  readonly mechanism: KeyMechanism
  readonly key: VerificationKey
  /**
   * Whether the key is proved to be the issuer's. If not, `findings` has the reasons, and the credential must not be
   * accepted [VC-21].
   */
  readonly trusted: boolean
  readonly findings: readonly TrustFinding[]
  /** The chain in the header; null for other mechanisms than `x5c`. */
  readonly chain: UsedChain | null
  /** Key identifiers of a valid chain, in lower-case hex; else empty. */
  readonly keyIds: readonly string[]
}

/**
 * Resolves the issuer of a credential and its key: by DID (`did:web`, `did:jwk`, `did:key`), by JWT VC issuer metadata,
 * or by the certificate in its header. Documents are cached for some minutes; one that lacks the key is fetched again.
 *
 * NOT checked: the signature, and whether the verifier or the tenant trusts this issuer. The chain of a certificate is
 * validated; without `anchors` no issuer is proved by one.
 *
 * @param jwt Parsed header and payload of the issuer-signed JWT.
 * @param anchors Where chains may end; called only when there is a chain. See `trustedAnchors`.
 * @throws Fault `issuer.undiscoverable`, `did.unsupported`, `did.unresolvable`, `key.unsupported`, `upstream.*`
 * @see [SD-JWT VC, 2.5](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function resolveIssuer(
  platform: TrustNeeds,
  jwt: Pick<Jws, 'header' | 'payload'>,
  now: Date,
  anchors: () => Promise<AnchorSet> = async () => noAnchors,
): Promise<ResolvedIssuer> {
  const source = issuerKeySource(jwt, { plainLoopback: platform.config.isDevelopment })
  switch (source.mechanism) {
    case 'did':
      return proved(source.mechanism, source.did, await didKey(platform, source.did, source.kid, now))
    case 'jwt-vc-issuer':
      return proved(source.mechanism, source.issuer, await metadataKey(platform, source, now))
    case 'x5c':
      return {
        mechanism: source.mechanism,
        ...(await certifiedIssuer(
          platform,
          source.chain,
          { ...source, iat: jwt.payload.iat },
          { anchors: await anchors(), now },
        )),
      }
  }
}

function proved(mechanism: KeyMechanism, issuer: string, key: VerificationKey): ResolvedIssuer {
  return { issuer, mechanism, key, trusted: true, findings: [], chain: null, keyIds: [] }
}
