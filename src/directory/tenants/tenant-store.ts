import type { TenantId } from '../../caller.ts'
import { type AcrossTx, platformTenantId, sql, type TenantTx } from '../../store/store.ts'
import type { Tenant } from './tenant.ts'

const COLUMNS = 'id, slug, name, settings, catalog_version as "catalogVersion"'
/** Its rows are not removed: of others only some may be left. */
const IS_KEPT = 'not exists (select from removed_tenant removed where removed.id = tenant.id)'
const findBySlug = sql(
  'directory.find_tenant_by_slug',
  `select ${COLUMNS} from tenant where slug = $1 and disabled_at is null and id <> '${platformTenantId}'`,
)
const findById = sql(
  'directory.find_tenant_by_id',
  `select ${COLUMNS} from tenant where id = $1 and disabled_at is null and id <> '${platformTenantId}'`,
)
const findAny = sql('directory.find_tenant_id', 'select id from tenant where slug = $1')
const slugs = sql(
  'directory.list_tenant_slugs',
  `select slug from tenant where id <> '${platformTenantId}' and ${IS_KEPT} order by created_at, id limit $1`,
)
const listIds = sql(
  'directory.list_tenant_ids',
  `select id from tenant where id > $1 and id <> '${platformTenantId}' and ${IS_KEPT} order by id limit $2`,
)
const insert = sql(
  'directory.insert_tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $3, $4, $4) on conflict do nothing returning id`,
)
const rename = sql(
  'directory.rename_tenant',
  `update tenant set name = $2, updated_at = $3, catalog_version = catalog_version + 1 where id = $1 and name <> $2 returning id`,
)
const set = sql(
  'directory.set_tenant_settings',
  `update tenant set settings = settings || $2::jsonb, updated_at = $3, catalog_version = catalog_version + 1
   where id = $1 and settings || $2::jsonb is distinct from settings returning id`,
)
const setMembers = sql(
  'directory.set_file_members',
  `update tenant set file_members = $2, catalog_version = catalog_version + 1 where id = $1 and file_members <> $2 returning id`,
)
const fileTenants = sql(
  'directory.list_file_tenants',
  `select id from tenant where file_members <> '{}' and slug <> all($1::text[])`,
)
const findHead = sql(
  'directory.find_tenant_head',
  `select id, name, created_at as "createdAt" from tenant where slug = $1 and id <> '${platformTenantId}'`,
)
const findRemovedSlug = sql('directory.find_removed_slug', 'select id from removed_tenant where slug = $1')
const close = sql(
  'directory.close_tenant',
  'update tenant set disabled_at = $2, updated_at = $2 where id = $1 and disabled_at is null',
)
const remove = sql('directory.delete_tenant', 'delete from tenant where id = $1')
const lock = sql('directory.lock_tenant', 'select id from tenant where id = $1 for no key update')

/** Returns the tenant with this slug, unless it is disabled. */
export async function findTenantBySlug(tx: AcrossTx, slug: string): Promise<Tenant | null> {
  return (await tx.rows<Tenant>(findBySlug, [slug]))[0] ?? null
}

/** Returns the tenant with this id, unless it is disabled. */
export async function findTenantById(tx: AcrossTx, id: TenantId): Promise<Tenant | null> {
  return (await tx.rows<Tenant>(findById, [id]))[0] ?? null
}

/** Returns the id of the tenant with this slug, disabled or not. */
export async function findTenantIdBySlug(tx: AcrossTx, slug: string): Promise<TenantId | null> {
  const [row] = await tx.rows<{ id: TenantId }>(findAny, [slug])
  return row?.id ?? null
}

/** Returns the slugs of the oldest tenants besides the platform itself and those that are removed, disabled or not. */
export async function listSlugs(tx: AcrossTx, limit: number): Promise<readonly string[]> {
  return (await tx.rows<{ slug: string }>(slugs, [limit])).map(({ slug }) => slug)
}

/** Returns ids of tenants besides the platform itself and removed ones, disabled or not, in order after one id. */
export async function listIdsAfter(tx: AcrossTx, last: TenantId, limit: number): Promise<readonly TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(listIds, [last, limit])).map(({ id }) => id)
}

/** Returns what stands in the row of the tenant with this slug, disabled or not; null if there is none. */
export async function findTenantHead(
  tx: AcrossTx,
  slug: string,
): Promise<(Pick<Tenant, 'id' | 'name'> & { readonly createdAt: Date }) | null> {
  const rows = await tx.rows<Pick<Tenant, 'id' | 'name'> & { readonly createdAt: Date }>(findHead, [slug])
  return rows[0] ?? null
}

/** Whether a tenant with this slug was removed: no other one may have it. */
export async function isRemovedSlug(tx: AcrossTx, slug: string): Promise<boolean> {
  return (await tx.rows(findRemovedSlug, [slug])).length > 0
}

/** Disables a tenant, unless it is. */
export async function closeTenant(tx: AcrossTx, id: TenantId, now: Date): Promise<void> {
  await tx.rows(close, [id, now])
}

/** Deletes the row of a tenant, with the rows that refer to it. */
export async function deleteTenant(tx: AcrossTx, id: TenantId): Promise<void> {
  await tx.rows(remove, [id])
}

/** Inserts the tenant of the transaction. Returns false if the slug is taken. */
export async function insertTenant(tx: TenantTx, { slug, name, now }: { slug: string; name: string; now: Date }) {
  return (await tx.rows(insert, [tx.tenantId, slug, name, now])).length === 1
}

/** Renames the tenant of the transaction. Returns false if it has that name. */
export async function renameTenant(tx: TenantTx, name: string, now: Date): Promise<boolean> {
  return (await tx.rows(rename, [tx.tenantId, name, now])).length === 1
}

/** Merges settings into those of the transaction's tenant. Returns false if nothing changed. */
export async function setTenantSettings(tx: TenantTx, settings: Tenant['settings'], now: Date): Promise<boolean> {
  return (await tx.rows(set, [tx.tenantId, JSON.stringify(settings), now])).length === 1
}

/**
 * States which members of the transaction's tenant the bootstrap file names. No change of the tenant itself, so it is
 * not recorded.
 */
export async function setFileMembers(tx: TenantTx, members: readonly string[]): Promise<void> {
  await tx.rows(setMembers, [tx.tenantId, members.toSorted()])
}

/** Returns the tenants with members of a bootstrap file, besides those with these slugs. */
export async function listFileTenants(tx: AcrossTx, slugs: readonly string[]): Promise<readonly TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(fileTenants, [slugs])).map(({ id }) => id)
}

/** Serializes changes of the tenant's directory. Statements that only refer to the tenant's row are not blocked. */
export async function lockTenant(tx: TenantTx): Promise<void> {
  await tx.rows(lock, [tx.tenantId])
}
