import type { TenantId } from '../../caller.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { validatePath } from '../../crypto/x509-path/validate-path.ts'
import { didWebOf } from '../../protocols/did/did-web.ts'
import { type TrustSource, trustedAnchors, trustedEntitiesFor } from '../trusted-entities/tenant-trust.ts'
import type { TrustedEntity } from '../trusted-entities/trusted-entity.ts'
import type { CertifiedVerifier } from './certified-verifier.ts'
import type { ResolvedIssuer } from './resolve-issuer.ts'

/** What checks of credentials need of a tenant's trust. */
export type TenantTrust = {
  readonly anchors: () => Promise<AnchorSet>
  /** As {@link isTrustedIssuer}. */
  readonly vouchesFor: (issuer: NamedIssuer, entityIds?: readonly string[]) => Promise<boolean>
}

/** An issuer as resolved. */
type NamedIssuer = Pick<ResolvedIssuer, 'mechanism' | 'issuer' | 'trusted' | 'chain'>

/** Returns the trust of a tenant, loaded on demand. */
export function trustOf(source: TrustSource, tenantId: TenantId): TenantTrust {
  return {
    anchors: () => trustedAnchors(source, tenantId),
    vouchesFor: (issuer, entityIds) => isTrustedIssuer(source, tenantId, issuer, entityIds),
  }
}

/**
 * Whether one of the tenant's trusted entities names a resolved issuer. [VC-20] The entity fixes the mechanism: a DID
 * by its DID, an https issuer by its address, a certificate by a chain to one of the entity's certificates.
 *
 * @param entityIds Only these entities; by default all. Ids of removed entities match no issuer.
 */
async function isTrustedIssuer(
  source: TrustSource,
  tenantId: TenantId,
  { mechanism, issuer, trusted, chain }: NamedIssuer,
  entityIds?: readonly string[],
): Promise<boolean> {
  if (!trusted) return false
  if (chain !== null) {
    const anchors = await trustedAnchors(source, tenantId, entityIds)
    return validatePath({ chain: chain.der, anchors, purpose: 'issuer', at: chain.at }).ok
  }
  const entities = await trustedEntitiesFor(source, tenantId, 'issuer', entityIds)
  return entities.some(({ dids, issuers }) =>
    mechanism === 'did' ? dids.some(({ did }) => did === issuer) : issuers.includes(issuer),
  )
}

/** The trusted entity that names an issuer or verifier, and its identifier there. */
type NamedBy = { readonly entity: Pick<TrustedEntity, 'id' | 'name'>; readonly identifier: string }

/**
 * Returns the identifiers by which a trusted entity may name a Credential Issuer. Certificates and other DIDs do not
 * name an address.
 */
export function identifiersOf(credentialIssuer: string): readonly [address: string, did: string] {
  return [credentialIssuer, didWebOf(credentialIssuer)]
}

/**
 * Returns the trusted entity that names the Credential Issuer Identifier of an offer: by that address, or by the
 * `did:web` DID of the same address; null if none does.
 */
export async function findCredentialIssuer(
  source: TrustSource,
  tenantId: TenantId,
  credentialIssuer: string,
): Promise<NamedBy | null> {
  const [address, asDid] = identifiersOf(credentialIssuer)
  for (const { id, name, dids, issuers } of await trustedEntitiesFor(source, tenantId, 'issuer')) {
    const isByAddress = issuers.includes(address)
    if (isByAddress || dids.some(({ did }) => did === asDid))
      return { entity: { id, name }, identifier: isByAddress ? address : asDid }
  }
  return null
}

/** Returns the trusted entity that names the DID of a verifier; null if none does. */
export async function findVerifierDid(source: TrustSource, tenantId: TenantId, did: string): Promise<NamedBy | null> {
  const entities = await trustedEntitiesFor(source, tenantId, 'verifier')
  const found = entities.find(({ dids }) => dids.some((one) => one.did === did))
  return found === undefined ? null : { entity: { id: found.id, name: found.name }, identifier: did }
}

/**
 * Returns the trusted entity that has the root of a verifier's certificate; for an unknown root that root, which no
 * entity has.
 */
export async function certifiedBy(
  source: TrustSource,
  tenantId: TenantId,
  {
    certificate: { root },
    entityId,
    isTrusted,
  }: Pick<CertifiedVerifier, 'certificate' | 'entityId'> & { readonly isTrusted: boolean },
): Promise<{ readonly entity?: NamedBy['entity']; readonly lookedFor?: string[] }> {
  if (!isTrusted) return root === null ? {} : { lookedFor: [root] }
  if (entityId === null) return {}
  const [entity] = await trustedEntitiesFor(source, tenantId, 'verifier', [entityId])
  return entity === undefined ? {} : { entity: { id: entity.id, name: entity.name } }
}
