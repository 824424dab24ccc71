import type { TenantId } from '../../caller.ts'
import { type AcrossTx, platformTenantId, sql, type TenantTx } from '../../store/store.ts'
import type { Tenant } from './tenant.ts'

type Row = { id: TenantId; slug: string; name: string; settings: Tenant['settings']; catalog_version: number }

const COLUMNS = 'id, slug, name, settings, catalog_version'
const findBySlug = sql(
  'directory.tenant_by_slug',
  `select ${COLUMNS} from tenant where slug = $1 and disabled_at is null and id <> '${platformTenantId}'`,
)
const findById = sql(
  'directory.tenant_by_id',
  `select ${COLUMNS} from tenant where id = $1 and disabled_at is null and id <> '${platformTenantId}'`,
)
const findAny = sql('directory.tenant_any', 'select id from tenant where slug = $1')
const findOne = sql('directory.tenant_one', `select id from tenant where id <> '${platformTenantId}' limit 1`)
const insert = sql(
  'directory.tenant_insert',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $3, $4, $4) on conflict do nothing returning id`,
)
const rename = sql(
  'directory.tenant_rename',
  `update tenant set name = $2, updated_at = $3, catalog_version = catalog_version + 1 where id = $1 and name <> $2 returning id`,
)
const set = sql(
  'directory.tenant_set',
  `update tenant set settings = settings || $2::jsonb, updated_at = $3, catalog_version = catalog_version + 1
   where id = $1 and settings || $2::jsonb is distinct from settings returning id`,
)

const lock = sql('directory.tenant_lock', 'select id from tenant where id = $1 for no key update')

/** The tenant with this slug, unless it is disabled. */
export async function findTenantBySlug(tx: AcrossTx, slug: string): Promise<Tenant | null> {
  return asTenant(await tx.rows<Row>(findBySlug, [slug]))
}

/** The tenant with this id, unless it is disabled. */
export async function findTenantById(tx: AcrossTx, id: TenantId): Promise<Tenant | null> {
  return asTenant(await tx.rows<Row>(findById, [id]))
}

/** Id of the tenant that has this slug, be it disabled. */
export async function findTenantIdBySlug(tx: AcrossTx, slug: string): Promise<TenantId | null> {
  const [row] = await tx.rows<{ id: TenantId }>(findAny, [slug])
  return row?.id ?? null
}

/** Any tenant but the platform itself. */
export async function findAnyTenant(tx: AcrossTx): Promise<TenantId | null> {
  const [row] = await tx.rows<{ id: TenantId }>(findOne)
  return row?.id ?? null
}

/** Makes the tenant of the transaction. @returns false if the slug is taken, perhaps since a moment ago. */
export async function insertTenant(tx: TenantTx, { slug, name, now }: { slug: string; name: string; now: Date }) {
  return (await tx.rows(insert, [tx.tenantId, slug, name, now])).length === 1
}

/** Gives the tenant of the transaction a name. @returns false if it has it already. */
export async function renameTenant(tx: TenantTx, name: string, now: Date): Promise<boolean> {
  return (await tx.rows(rename, [tx.tenantId, name, now])).length === 1
}

/** Gives the tenant of the transaction settings; those that are not named stay. @returns false if it has them already. */
export async function setTenantSettings(tx: TenantTx, settings: Tenant['settings'], now: Date): Promise<boolean> {
  return (await tx.rows(set, [tx.tenantId, JSON.stringify(settings), now])).length === 1
}

/** Lets one change of the directory happen at a time; ordinary work of the tenant goes on beside it. */
export async function lockTenant(tx: TenantTx): Promise<void> {
  await tx.rows(lock, [tx.tenantId])
}

function asTenant([row]: readonly Row[]): Tenant | null {
  if (row === undefined) return null
  const { catalog_version: catalogVersion, ...rest } = row
  return { ...rest, catalogVersion }
}
