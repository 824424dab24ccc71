import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { OrganisationRecord } from './organisation.ts'
import type { Tenant } from './tenant.ts'

const COLUMNS = `id, slug, name, settings, catalog_version as "catalogVersion", file_members as "fileMembers", updated_at as "updatedAt"`
const find = sql('directory.get_organisation', `select ${COLUMNS} from tenant where id = $1 and disabled_at is null`)
const update = sql(
  'directory.update_organisation',
  `update tenant set name = $3, settings = $4::jsonb, updated_at = $5, catalog_version = catalog_version + 1
   where id = $1 and catalog_version = $2 and disabled_at is null
   returning ${COLUMNS}`,
)

/** Returns the tenant of the transaction, as it is now; null if it is disabled. */
export async function findOrganisation(tx: TenantTx): Promise<OrganisationRecord | null> {
  return (await tx.rows<OrganisationRecord>(find, [tx.tenantId]))[0] ?? null
}

/** Writes name and settings of the tenant. Returns null if it is no longer at this version. */
export async function updateOrganisation(
  tx: TenantTx,
  version: number,
  to: Pick<Tenant, 'name' | 'settings'>,
  entry: AuditEntry,
  now: Date,
): Promise<OrganisationRecord | null> {
  const values = [tx.tenantId, version, to.name, JSON.stringify(to.settings), now]
  return recordChange<OrganisationRecord>(tx, update, values, entry, now)
}
