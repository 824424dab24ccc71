import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { DECIDED_MEMBERS, DECIDED_SET } from './client-columns.ts'
import type { ClientMembers, ClientRecord } from './client-record.ts'
import { clientValues, insertClientSql } from './client-store.ts'

const columns = (
  now: string,
) => `client.id, client.client_id as "clientId", ${DECIDED_MEMBERS}, client.jwks -> 'keys' as keys,
  client.disabled_at is not null as disabled, client.is_of_file as "isOfFile", client.created_at as "createdAt", client.updated_at as "updatedAt",
  client.last_used_at as "lastUsedAt",
  (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'isMade', is_made, 'createdAtMs', trunc(extract(epoch from created_at) * 1000),
     'endsAtMs', trunc(extract(epoch from ends_at) * 1000)) order by created_at desc, id desc), '[]')
   from client_secret where tenant_id = client.tenant_id and client_id = client.client_id
     and (ends_at is null or ends_at > ${now}::timestamptz)) as secrets`

const find = sql(
  'directory.find_managed_client',
  `select ${columns('$3')} from client where tenant_id = $1 and client_id = $2`,
)
const lock = sql(
  'directory.lock_managed_client',
  `select ${columns('$3')} from client where tenant_id = $1 and client_id = $2 for update`,
)
const insert = sql(
  'directory.create_client',
  `with known as materialized (select count(*) as clients from client where tenant_id = :tenantId),
   ins as (${insertClientSql('known where clients < :countMax')} returning client_id)
   select client_id from ins`,
)
const update = sql(
  'directory.change_client',
  `update client set updated_at = greatest(:now,
     (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC'),
     ${DECIDED_SET}, jwks = :jwks::jsonb, disabled_at = case when :isDisabled then coalesce(disabled_at, :now::timestamptz) end
   where tenant_id = :tenantId and id = :id and client_id = :clientId
   returning client_id`,
)
const remove = sql(
  'directory.delete_client',
  `delete from client where tenant_id = $1 and client_id = $2 returning client_id`,
)
const page = pagedList({
  name: 'directory.clients',
  select: `select ${columns('$2')} from client where tenant_id = $1`,
  parameters: 2,
  id: 'client.id',
  filters: {},
})

type Row = Omit<ClientRecord, 'secrets'> & {
  readonly secrets: readonly { id: string; isMade: boolean; createdAtMs: number; endsAtMs: number | null }[]
}

/** Returns a client of the tenant, disabled or not. `isLocked`: until the transaction ends, others wait. */
export async function findManagedClient(
  tx: TenantTx,
  clientId: string,
  now: Date,
  isLocked = false,
): Promise<ClientRecord | null> {
  if (clientId.includes('\0')) return null
  const [row] = await tx.rows<Row>(isLocked ? lock : find, [tx.tenantId, clientId, now])
  return row === undefined ? null : recordOf(row)
}

/** Returns one page of the clients, and one row more if there is a next page. */
export async function listManagedClients(tx: TenantTx, request: PageRequest, now: Date): Promise<ClientRecord[]> {
  return (await page<Row>(tx, request, [tx.tenantId, now], {})).map(recordOf)
}

/** Inserts a client without secrets. Returns false if the tenant has `countMax` clients. */
export async function insertClient(
  tx: TenantTx,
  { id, clientId, countMax }: { readonly id: string; readonly clientId: string; readonly countMax: number },
  members: ClientMembers,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const values = {
    tenantId: tx.tenantId,
    id,
    clientId,
    now,
    ...clientValues(members),
    isOfFile: false,
    countMax,
  }
  return (await recordChange(tx, insert, values, entry, now)) !== null
}

/**
 * Writes all members of a client, which the caller has locked. `updatedAt` increases with every change, also with two
 * in one millisecond.
 */
export async function updateClient(
  tx: TenantTx,
  { id, clientId }: Pick<ClientRecord, 'id' | 'clientId'>,
  members: ClientMembers,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const values = { tenantId: tx.tenantId, id, clientId, now, ...clientValues(members) }
  await recordChange(tx, update, values, entry, now)
}

/** Deletes a client, which the caller has locked, with its secrets. */
export async function deleteClientRow(tx: TenantTx, clientId: string, entry: AuditEntry, now: Date): Promise<void> {
  await recordChange(tx, remove, [tx.tenantId, clientId], entry, now)
}

function recordOf({ secrets, ...row }: Row): ClientRecord {
  return {
    ...row,
    secrets: secrets.map(({ id, isMade, createdAtMs, endsAtMs }) => ({
      id,
      origin: isMade ? 'server' : 'file',
      createdAt: new Date(createdAtMs),
      endsAt: endsAtMs === null ? null : new Date(endsAtMs),
    })),
  }
}
