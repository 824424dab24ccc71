import type { UserId } from '../../caller.ts'
import type { FetchedKind, ImageKind } from '../../contract/wallet/card-display.ts'
import type { KeptImage } from '../../protocols/image.ts'
import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { KeptDisplay } from './kept-display.ts'
import { supersedingCredential } from './life.ts'
import type { SvgMetadata } from './type-metadata.ts'

/**
 * What is stored about a credential besides its claims. `display` is null for one that was received before displays
 * were kept.
 */
export type DetailsRow = {
  readonly id: string
  readonly vct: string
  readonly credentialIssuer: string
  readonly display: KeptDisplay | null
  readonly images: readonly ImageKind[]
  readonly standing: Standing | null
  readonly checkedAt: Date | null
  readonly validFrom: Date
  readonly issuedAt: Date
  readonly expiresAt: Date | null
  readonly createdAt: Date
  /** Its issuer issues new copies of it as long as it has not ended. */
  readonly isRefilled: boolean
  /** What has taken its place. */
  readonly newerId: string | null
}

const insertStatement = sql(
  'wallet.insert_display',
  'insert into wallet_credential_display (tenant_id, credential_id, display, valid_from, images_due_at) values ($1, $2, $3::jsonb, $4, $5)',
)
const listStatement = sql(
  'wallet.list_details',
  `select c.id, c.vct, c.credential_issuer as "credentialIssuer", d.display, s.standing, s.checked_at as "checkedAt",
     coalesce(d.valid_from, c.issued_at) as "validFrom", c.issued_at as "issuedAt", c.expires_at as "expiresAt",
     c.created_at as "createdAt", ${supersedingCredential('$4')} as "newerId",
     exists (select from wallet_refill r where r.tenant_id = c.tenant_id and r.id = c.id) as "isRefilled",
     array(select i.kind from wallet_credential_image i where i.tenant_id = c.tenant_id and i.credential_id = c.id
       union all select 'card' from wallet_credential_svg v where v.tenant_id = c.tenant_id and v.credential_id = c.id order by 1) as images
   from wallet_credential c
     left join wallet_credential_display d on d.tenant_id = c.tenant_id and d.credential_id = c.id
     left join wallet_credential_standing s on s.tenant_id = c.tenant_id and s.credential_id = c.id
   where c.tenant_id = $1 and c.user_id = $2 and c.id = any($3::uuid[])`,
)
const findPlacesStatement = sql(
  'wallet.find_image_places',
  'select display from wallet_credential_display where tenant_id = $1 and credential_id = $2',
)
const endImagesStatement = sql(
  'wallet.end_images',
  'update wallet_credential_display set images_due_at = null where tenant_id = $1 and credential_id = $2 and images_due_at is not null',
)
const requeueImagesStatement = sql(
  'wallet.requeue_images',
  `update wallet_credential_display set images_due_at = $3 where tenant_id = $1 and credential_id in (
     select credential_id from wallet_credential_display where tenant_id = $1 and images_due_at <= $2 order by images_due_at limit $4)
   returning credential_id as id`,
)
const insertImageStatement = sql(
  'wallet.insert_image',
  `insert into wallet_credential_image (tenant_id, credential_id, kind, media_type, bytes)
   select $1, credential_id, $3, $4, $5 from wallet_credential_display where tenant_id = $1 and credential_id = $2
   on conflict do nothing returning kind`,
)
const findImageStatement = sql(
  'wallet.find_image',
  `select i.media_type as "mediaType", i.bytes from wallet_credential_image i
     join wallet_credential c on c.tenant_id = i.tenant_id and c.id = i.credential_id
   where i.tenant_id = $1 and c.user_id = $2 and i.credential_id = $3 and i.kind = $4`,
)

const insertSvgStatement = sql(
  'wallet.insert_svg',
  `insert into wallet_credential_svg (tenant_id, credential_id, template, claims)
   select $1, credential_id, $3, $4::jsonb from wallet_credential_display where tenant_id = $1 and credential_id = $2
   on conflict do nothing returning credential_id`,
)
const findSvgStatement = sql(
  'wallet.find_svg',
  `select v.template, v.claims from wallet_credential_svg v
     join wallet_credential c on c.tenant_id = v.tenant_id and c.id = v.credential_id
   where v.tenant_id = $1 and c.user_id = $2 and v.credential_id = $3`,
)

/** The SVG template of a credential: see `readSvgTemplate`. `claims`: those that it has placeholders for. */
export type KeptSvg = { readonly template: string; readonly claims: SvgMetadata['claims'] }

/**
 * When a credential is valid from, and when a sweep looks for the job that fetches its images; null: there are none to
 * fetch.
 */
type DisplayTimes = { readonly validFrom: Date; readonly imagesDueAt: Date | null }

/** Inserts the look of a credential that the transaction has inserted. */
export async function insertDisplay(
  tx: TenantTx,
  credentialId: string,
  display: KeptDisplay,
  { validFrom, imagesDueAt }: DisplayTimes,
): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, credentialId, JSON.stringify(display), validFrom, imagesDueAt])
}

/** Records that the images of a credential were fetched, or are given up. */
export async function endImages(tx: TenantTx, credentialId: string): Promise<void> {
  await tx.rows(endImagesStatement, [tx.tenantId, credentialId])
}

/**
 * Postpones the look for the jobs of images that should have run.
 *
 * @returns the credentials, at most `limit`; the caller enqueues the missing jobs in the same transaction.
 */
export async function requeueLateImages(tx: TenantTx, now: Date, checkAt: Date, limit: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(requeueImagesStatement, [tx.tenantId, now, checkAt, limit])).map(({ id }) => id)
}

/** Lists tenants that have credentials whose images should have been fetched. */
export const listTenantsWithLateImages = tenantsWith(
  'wallet.tenants_with_late_images',
  'from wallet_credential_display where images_due_at <= $1',
  'images_due_at',
)

/** Lists what is stored about credentials of the user. Ids of other credentials have no row. */
export async function listDetailsRows(
  tx: TenantTx,
  userId: UserId,
  ids: readonly string[],
  now: Date,
): Promise<DetailsRow[]> {
  return tx.rows<DetailsRow>(listStatement, [tx.tenantId, userId, ids, now])
}

/** Returns the look of a credential; null: it was removed. */
export async function findDisplay(tx: TenantTx, credentialId: string): Promise<KeptDisplay | null> {
  const [row] = await tx.rows<{ display: KeptDisplay }>(findPlacesStatement, [tx.tenantId, credentialId])
  return row?.display ?? null
}

/** Keeps an image, unless there is one of this kind or the credential was removed. */
export async function insertImage(
  tx: TenantTx,
  credentialId: string,
  kind: FetchedKind,
  { mediaType, bytes }: KeptImage,
): Promise<void> {
  await tx.rows(insertImageStatement, [tx.tenantId, credentialId, kind, mediaType, bytes])
}

/** Returns an image of a credential of the user, or null. */
export async function findImage(
  tx: TenantTx,
  userId: UserId,
  credentialId: string,
  kind: string,
): Promise<KeptImage | null> {
  return (await tx.rows<KeptImage>(findImageStatement, [tx.tenantId, userId, credentialId, kind]))[0] ?? null
}

/** Keeps an SVG template, unless there is one or the credential was removed. */
export async function insertSvg(tx: TenantTx, credentialId: string, { template, claims }: KeptSvg): Promise<void> {
  await tx.rows(insertSvgStatement, [tx.tenantId, credentialId, template, JSON.stringify(claims)])
}

/** Returns the SVG template of a credential of the user, or null. */
export async function findSvg(tx: TenantTx, userId: UserId, credentialId: string): Promise<KeptSvg | null> {
  return (await tx.rows<KeptSvg>(findSvgStatement, [tx.tenantId, userId, credentialId]))[0] ?? null
}
