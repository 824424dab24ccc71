import type { TenantId } from '../caller.ts'
import { type AcrossTx, platformTenantId, sql } from '../store/store.ts'
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
const insertOrRename = sql(
  'directory.tenant_put',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $3, $4, $4)
   on conflict (slug) do update set name = excluded.name, updated_at = excluded.updated_at, catalog_version = tenant.catalog_version + 1
   where tenant.name <> excluded.name
   returning id, (xmax = 0) as created`,
)

/** The tenant with this slug, unless it is disabled. */
export async function findTenantBySlug(tx: AcrossTx, slug: string): Promise<Tenant | null> {
  return asTenant(await tx.rows<Row>(findBySlug, [slug]))
}

/** The tenant with this id, unless it is disabled. */
export async function findTenantById(tx: AcrossTx, id: TenantId): Promise<Tenant | null> {
  return asTenant(await tx.rows<Row>(findById, [id]))
}

/** Makes a tenant, or gives it another name. @returns null if it is there already under that name. */
export async function putTenant(
  tx: AcrossTx,
  { id, slug, name, now }: { id: string; slug: string; name: string; now: Date },
): Promise<{ id: TenantId; created: boolean } | null> {
  const [row] = await tx.rows<{ id: TenantId; created: boolean }>(insertOrRename, [id, slug, name, now])
  return row ?? null
}

function asTenant([row]: readonly Row[]): Tenant | null {
  if (row === undefined) return null
  const { catalog_version: catalogVersion, ...rest } = row
  return { ...rest, catalogVersion }
}
