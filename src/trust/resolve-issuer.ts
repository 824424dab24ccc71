import type { VerificationKey } from '../crypto/jwk.ts'
import type { Jws } from '../crypto/jws.ts'
import { readLeafCertificate } from '../crypto/leaf-certificate.ts'
import { Fault } from '../fault.ts'
import { type IssuerKeySource, issuerKeySource, type KeyMechanism } from '../protocols/sd-jwt-vc/issuer-key.ts'
import { didKey } from './did-key.ts'
import { type TrustFinding, trustFinding } from './finding.ts'
import { metadataKey } from './issuer-metadata-key.ts'
import type { TrustNeeds } from './needs.ts'

/** Who signed, and with which key. */
export type ResolvedIssuer = {
  /** DID, https identifier, or the subject of the certificate (RFC 4514), by `mechanism`. */
  readonly issuer: string
  readonly mechanism: KeyMechanism
  readonly key: VerificationKey
  /** Whether the key was proved to be the issuer's. If not, `findings` says why, and the credential must not be accepted [VC-21]. */
  readonly trusted: boolean
  readonly findings: readonly TrustFinding[]
}

/**
 * Finds the key of whoever signed a credential: by DID (`did:web`, `did:jwk`, `did:key`), by JWT VC issuer metadata, or out of the
 * certificate that it brings (then not trusted). Documents are kept for some minutes; one that lacks the wanted key is fetched anew.
 *
 * NOT checked: the signature, and whether the verifier or the tenant trusts this issuer.
 *
 * @param jwt Header and payload of the issuer-signed JWT, as parsed.
 * @throws Fault `issuer.undiscoverable`, `did.unsupported`, `did.unresolvable`, `key.unsupported`, `upstream.*`
 * @see [SD-JWT VC, 2.5](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function resolveIssuer(
  platform: TrustNeeds,
  jwt: Pick<Jws, 'header' | 'payload'>,
  now: Date,
): Promise<ResolvedIssuer> {
  const source = issuerKeySource(jwt, { plainLoopback: platform.config.isDevelopment })
  switch (source.mechanism) {
    case 'did':
      return proved(source.mechanism, source.did, await didKey(platform, source.did, source.kid, now))
    case 'jwt-vc-issuer':
      return proved(source.mechanism, source.issuer, await metadataKey(platform, source, now))
    case 'x5c':
      return unproved(source)
  }
}

function proved(mechanism: KeyMechanism, issuer: string, key: VerificationKey): ResolvedIssuer {
  return { issuer, mechanism, key, trusted: true, findings: [] }
}

function unproved({ chain }: IssuerKeySource & { mechanism: 'x5c' }): ResolvedIssuer {
  const [leaf] = chain
  if (leaf === undefined) throw new Fault('issuer.undiscoverable')
  const { key, subject } = readLeafCertificate(leaf)
  const findings = [trustFinding('issuer.x5c_unsupported')]
  return { issuer: subject, mechanism: 'x5c', key, trusted: false, findings }
}
