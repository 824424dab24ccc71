import type { KeptImage } from '../../protocols/image.ts'
import { sql, type TenantTx } from '../../store/store.ts'

const upsert = sql(
  'directory.upsert_logo',
  `insert into organisation_logo (tenant_id, digest, media_type, bytes, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id) do update set digest = excluded.digest, media_type = excluded.media_type,
     bytes = excluded.bytes, created_at = excluded.created_at`,
)
const remove = sql('directory.delete_logo', 'delete from organisation_logo where tenant_id = $1')
const find = sql(
  'directory.find_logo',
  'select media_type as "mediaType", bytes from organisation_logo where tenant_id = $1 and digest = $2',
)

/** A logo that the server keeps. `digest`: SHA-256 of its bytes, as base64url. */
export type KeptLogo = KeptImage & { readonly digest: string }

/** Keeps the logo of the organisation, in place of an earlier one. */
export async function keepLogo(tx: TenantTx, { mediaType, bytes, digest }: KeptLogo, now: Date): Promise<void> {
  await tx.rows(upsert, [tx.tenantId, digest, mediaType, bytes, now])
}

/** Deletes the logo that is kept, if there is one. */
export async function deleteLogo(tx: TenantTx): Promise<void> {
  await tx.rows(remove, [tx.tenantId])
}

/** Returns the logo with that digest; null if the organisation has none, or another one now. */
export async function findLogo(tx: TenantTx, digest: string): Promise<KeptImage | null> {
  return (await tx.rows<KeptImage>(find, [tx.tenantId, digest]))[0] ?? null
}
