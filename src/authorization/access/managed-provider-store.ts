import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A provider as its organisation sees it. */
export type ManagedProvider = Omit<IdentityProvider, 'tenantId' | 'sealedClientSecret'> & {
  readonly hasClientSecret: boolean
  readonly createdAt: Date
}

const COLUMNS = `id, name, display_name as "displayName", issuer, client_id as "clientId", scopes, claims, roles, creates_users as "createsUsers",
  sign_in as "signIn", accept_tokens as "acceptTokens", audience, names_people as "namesPeople",
  sealed_client_secret is not null as "hasClientSecret",
  created_at as "createdAt", updated_at as "updatedAt"`
const find = sql(
  'authorization.find_managed_provider',
  `select ${COLUMNS} from identity_provider where tenant_id = $1 and id = $2`,
)
const lock = sql(
  'authorization.lock_provider',
  'select id from identity_provider where tenant_id = $1 and id = $2 for update',
)
const count = sql(
  'authorization.count_providers',
  'select count(*)::int as count from identity_provider where tenant_id = $1',
)
const remove = sql(
  'authorization.delete_provider',
  `delete from identity_provider where tenant_id = $1 and id = $2 returning id`,
)
const page = pagedList({
  name: 'authorization.providers',
  select: `select ${COLUMNS} from identity_provider where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: {},
})

/** Returns a provider of the tenant. The id must be a UUID. */
export async function findManagedProvider(tx: TenantTx, id: string): Promise<ManagedProvider | null> {
  return (await tx.rows<ManagedProvider>(find, [tx.tenantId, id]))[0] ?? null
}

/** Locks a provider until the transaction ends, if it exists. */
export async function lockProvider(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(lock, [tx.tenantId, id])
}

/** Returns how many providers the tenant has. */
export async function countProviders(tx: TenantTx): Promise<number> {
  return (await tx.rows<{ count: number }>(count, [tx.tenantId]))[0]?.count ?? 0
}

/** Returns one page of the providers, and one row more if there is a next page. */
export function listManagedProviders(tx: TenantTx, request: PageRequest): Promise<ManagedProvider[]> {
  return page<ManagedProvider>(tx, request, [tx.tenantId], {})
}

/** Deletes a provider. Returns whether it was there. */
export async function deleteProvider(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return (await recordChange(tx, remove, [tx.tenantId, id], entry, now)) !== null
}
