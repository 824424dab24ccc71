import type { SigningKey } from '../../crypto/signing-key.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { looksLikeDid } from '../../protocols/did/did.ts'

/** A key that the tenant publishes itself, without a certificate. */
export type TenantSigner = {
  readonly key: SigningKey
  /** The `did:web` DID of the tenant, or its Credential Issuer Identifier. */
  readonly iss: string
  /** Names the key in the DID document (a DID URL), or in the JWT VC issuer metadata (an RFC 7638 thumbprint). */
  readonly kid: string
}

type Needs = Pick<Platform, 'keys' | 'urls'>
type Of = Pick<Tenant, 'id' | 'slug' | 'settings'>

/**
 * Returns the current signer of a tenant for credentials without a certificate. The tenant's settings choose between
 * DID and address.
 */
export async function tenantSigner({ keys, urls }: Needs, { id, slug, settings }: Of): Promise<TenantSigner> {
  const key = await keys.current(id, 'credential')
  if (settings.issuerIdentifier === 'https') return { key, iss: urls.issuer(slug), kid: key.kid }
  const iss = urls.did(slug)
  return { key, iss, kid: `${iss}#${key.kid}` }
}

/**
 * Returns the signer that a `kid` of {@link tenantSigner} names, current or retired: credentials and their status lists
 * have one key. null if its key is unknown or destroyed.
 */
export async function tenantSignerNamed(
  { keys, urls }: Needs,
  { id, slug }: Of,
  kid: string,
): Promise<TenantSigner | null> {
  const at = kid.lastIndexOf('#')
  const key = await keys.credentialKey(id, kid.slice(at + 1))
  if (key === null) return null
  return { key, iss: looksLikeDid(kid) ? kid.slice(0, at) : urls.issuer(slug), kid }
}
