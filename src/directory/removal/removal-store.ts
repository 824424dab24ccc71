import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, platformTenantId, sql, type TenantTx } from '../../store/store.ts'
import type { PlatformTenant, RemovedTenant, TenantCounts } from './removed-tenant.ts'

type TenantRow = Pick<RemovedTenant, 'id' | 'slug' | 'name' | 'createdAt' | 'removedBy' | 'archivedAt' | 'endedAt'> & {
  readonly isDisabled: boolean
  readonly removedAt: Date | null
  readonly counts: TenantCounts | null
  readonly rowsRemoved: number | null
}

const COLUMNS = `id, slug, name, created_at as "createdAt", removed_at as "removedAt", removed_by as "removedBy",
  counts, archived_at as "archivedAt", rows_removed::float8 as "rowsRemoved", ended_at as "endedAt"`
const find = sql('directory.find_removed_tenant', `select ${COLUMNS} from removed_tenant where slug = $1`)
const listOpen = sql(
  'directory.list_removed_tenants',
  `select ${COLUMNS} from removed_tenant where ended_at is null or ended_at > $1
   order by ended_at nulls first, removed_at, id`,
)
const insert = sql(
  'directory.insert_removed_tenant',
  `insert into removed_tenant (id, slug, name, created_at, removed_at, removed_by, counts)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb) on conflict do nothing returning id`,
)
const setArchived = sql(
  'directory.set_removed_archived',
  'update removed_tenant set archived_at = $2 where id = $1 and archived_at is null',
)
const addRows = sql(
  'directory.add_removed_rows',
  'update removed_tenant set rows_removed = rows_removed + $2::int where id = $1',
)
const end = sql(
  'directory.end_removed_tenant',
  `update removed_tenant set ended_at = $2 where id = $1 and ended_at is null
   returning rows_removed::float8 as "rowsRemoved"`,
)

const tenants = pagedList({
  name: 'directory.platform_tenants',
  select: `select id, coalesce(tenant.slug, removed.slug) as slug, coalesce(tenant.name, removed.name) as name,
     coalesce(tenant.created_at, removed.created_at) as "createdAt", tenant.disabled_at is not null as "isDisabled",
     removed.removed_at as "removedAt", removed.removed_by as "removedBy", removed.counts,
     removed.archived_at as "archivedAt", removed.rows_removed::float8 as "rowsRemoved", removed.ended_at as "endedAt"
   from tenant full join removed_tenant removed using (id) where id <> '${platformTenantId}'`,
  parameters: 0,
  id: 'id',
  filters: { slug: (slug) => `coalesce(tenant.slug, removed.slug) = ${slug}` },
})

/** Returns what is kept of the removed tenant that had this slug; null: none had it. */
export async function findRemoved(tx: AcrossTx, slug: string): Promise<RemovedTenant | null> {
  return (await tx.rows<RemovedTenant>(find, [slug]))[0] ?? null
}

/** Returns the tenants whose removal has not ended, the oldest first, and those where it has ended after a time. */
export function listRemoved(tx: AcrossTx, endedAfter: Date): Promise<readonly RemovedTenant[]> {
  return tx.rows<RemovedTenant>(listOpen, [endedAfter])
}

/** Returns one page of the tenants, removed ones too, and one row more if there is a next page. */
export async function listPlatformTenants(
  tx: AcrossTx,
  request: PageRequest,
  slug: string | null = null,
): Promise<readonly PlatformTenant[]> {
  const rows = await tenants<TenantRow>(tx, request, [], { slug })
  return rows.map(({ id, slug, name, createdAt, isDisabled, removedAt, counts, ...more }) => {
    const head = { id, slug, name, createdAt }
    if (removedAt === null || counts === null)
      return { ...head, state: isDisabled ? 'disabled' : 'active', removal: null }
    const { removedBy, archivedAt, rowsRemoved, endedAt } = more
    const removal = { removedAt, removedBy, counts, archivedAt, rowsRemoved: rowsRemoved ?? 0, endedAt }
    return { ...head, state: endedAt === null ? 'removing' : 'removed', removal }
  })
}

/** Records that a tenant is removed, in a transaction of the platform. @returns false if it is recorded already */
export async function insertRemoved(
  tx: TenantTx,
  removed: Omit<RemovedTenant, 'archivedAt' | 'rowsRemoved' | 'endedAt'>,
): Promise<boolean> {
  const { id, slug, name, createdAt, removedAt, removedBy, counts } = removed
  const values = [id, slug, name, createdAt, removedAt, removedBy, JSON.stringify(counts)]
  return (await tx.rows(insert, values)).length === 1
}

/** Records that the audit trail of a removed tenant was archived, in a transaction of the platform. */
export async function setRemovedArchived(tx: TenantTx, { id }: RemovedTenant, now: Date): Promise<void> {
  await tx.rows(setArchived, [id, now])
}

/** Counts rows that were removed, in a transaction of the platform. */
export async function addRemovedRows(tx: TenantTx, { id }: RemovedTenant, rows: number): Promise<void> {
  await tx.rows(addRows, [id, rows])
}

/**
 * Records that the removal of a tenant has ended, in a transaction of the platform.
 *
 * @returns how many rows were removed; null if it had ended
 */
export async function endRemoved(tx: TenantTx, { id }: RemovedTenant, now: Date): Promise<number | null> {
  return (await tx.rows<{ rowsRemoved: number }>(end, [id, now]))[0]?.rowsRemoved ?? null
}
