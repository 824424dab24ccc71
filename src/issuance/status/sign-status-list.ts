import { gzipSync } from 'node:zlib'
import { sha256Base64url } from '../../crypto/digest.ts'
import { canonical } from '../../crypto/jwk.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import type { CompressedList } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListCwt } from '../../protocols/status-list/status-list-cwt.ts'
import { buildStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { signerOfAuthority } from '../../trust/certificates/active-signer.ts'
import { type TenantSigner, tenantSigner, tenantSignerNamed } from '../../trust/did/tenant-signer.ts'
import type { ListKind } from './status-entries.ts'

/** Needs of {@link signStatusList} and of publishing a list. */
export type ListNeeds = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/** The encodings of a Status List Token. */
export type StatusListForm = 'jwt' | 'cwt'

/** A signed status list as it is served. */
export type PublishedList = {
  readonly token: Buffer
  /** Compressed for clients that accept gzip; null for a CWT, which is compressed already. */
  readonly gzipped: Buffer | null
  /** Entity tag of the token, without quotes. */
  readonly etag: string
}

/** A list to sign. */
type StatusEntry = Pick<ListKind, 'authorityId' | 'kid'> & { readonly uri: string; readonly list: CompressedList }

const DAY_SECONDS = 86_400

/** Returns the URI of a list, which each credential carries. @param issuer The Credential Issuer Identifier. */
export function statusListUri(issuer: string, listId: string): string {
  return `${aggregationUri(issuer)}/${listId}`
}

/** Returns the aggregation URI of an issuer. @see [Token Status List, 9](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-9) */
export function aggregationUri(issuer: string): string {
  return `${issuer}/status-lists`
}

/**
 * Signs a status list with the signer of its credentials [TS-10]: a certificate of the same authority, or the very key
 * of the credentials, also after it was retired. Many verifiers check the list with the key of the credential, whatever
 * key the list names. If the certificate is revoked or has expired, the tenant's current key signs: the list stays
 * available, but verifiers do not accept it for those credentials.
 */
export async function signStatusList(
  needs: ListNeeds,
  tenant: Tenant,
  { uri, list, authorityId, kid: listKid }: StatusEntry,
  form: StatusListForm,
): Promise<PublishedList> {
  const ttlSeconds = needs.config.statusListTtlSeconds
  // [TS-21] A token is valid for much longer than it may be cached.
  const lifetimeSeconds = Math.max(DAY_SECONDS, 2 * ttlSeconds)
  const signer = authorityId === null ? null : await signerOfAuthority(needs, tenant.id, authorityId)
  const own = await ownSigner(needs, tenant, listKid)
  const key = signer?.key ?? own.key
  const issuer = needs.urls.issuer(tenant.slug)
  const { kid } = own
  const now = needs.clock.now()
  const ask = { uri, list, ttlSeconds, lifetimeSeconds, aggregationUri: aggregationUri(issuer) }
  if (form === 'cwt') {
    // [MD-10]
    const header = signer === null ? { kid } : { x5chain: signer.x5c.map((der) => Buffer.from(der, 'base64')) }
    return published(await buildStatusListCwt({ ...ask, header }, key, now), null)
  }
  // Some verifiers compare the key in the header with that of the published document.
  const header = signer === null ? { kid, jwk: canonical(key.publicJwk) } : { x5c: signer.x5c }
  const token = Buffer.from(
    await buildStatusListToken({ ...ask, header, issuer: signer === null ? own.iss : issuer }, key, now),
  )
  return published(token, gzipSync(token, { level: 1 }))
}

async function ownSigner(needs: ListNeeds, tenant: Tenant, kid: string | null): Promise<TenantSigner> {
  const former = kid === null ? null : await tenantSignerNamed(needs, tenant, kid)
  return former ?? tenantSigner(needs, tenant)
}

function published(token: Buffer, gzipped: Buffer | null): PublishedList {
  return { token, gzipped, etag: sha256Base64url(token).slice(0, 22) }
}
