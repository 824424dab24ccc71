import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { decision, nullIfRefused, sql, type TenantTx } from '../../store/store.ts'

/** A token by which an identity system provisions users and groups, without its secret. */
export type ClientToken = {
  readonly id: string
  readonly clientId: string
  readonly name: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

const COLUMNS = `id, client_id as "clientId", name, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"`

const insert = sql(
  'directory.create_client_token',
  `insert into client_token (tenant_id, id, client_id, token_hash, name, created_at, expires_at)
   select $1, $2, client_id, $4, $5, $6, $7 from client where tenant_id = $1 and client_id = $3 and disabled_at is null
   returning ${COLUMNS}`,
)
// The time of use is written at most once in five minutes.
const use = sql(
  'directory.use_client_token',
  `with found as (
     select token.id, token.last_used_at, client.client_id, client.scopes, client.roles from client_token token
       join client on client.tenant_id = token.tenant_id and client.client_id = token.client_id
     where token.tenant_id = $1 and token.id = $2 and token.token_hash = $3 and (token.expires_at is null or token.expires_at > $4)
       and client.disabled_at is null),
   used as (
     update client_token set last_used_at = $4 from found
     where client_token.tenant_id = $1 and client_token.id = found.id
       and (found.last_used_at is null or found.last_used_at < $4::timestamptz - interval '5 minutes') returning client_token.id)
   select client_id as "clientId", scopes, roles from found`,
)
// Of two callers the second waits, and is refused.
const lock = decision(
  'directory.require_client_token',
  'select from client_token where tenant_id = $1 and id = $2 for update',
)
const remove = sql(
  'directory.delete_client_token',
  `delete from client_token where tenant_id = $1 and id = $2 returning id`,
)

const find = sql('directory.find_client_token', `select ${COLUMNS} from client_token where tenant_id = $1 and id = $2`)
const page = pagedList({
  name: 'directory.client_tokens',
  select: `select ${COLUMNS} from client_token where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { clientId: (value) => `client_id = ${value}` },
})

/** Returns a token. The id must be a UUID. */
export async function findClientToken(tx: TenantTx, id: string): Promise<ClientToken | null> {
  return (await tx.rows<ClientToken>(find, [tx.tenantId, id]))[0] ?? null
}

/** Inserts a token. Returns null if there is no such client, or it is disabled. */
export async function insertClientToken(
  tx: TenantTx,
  token: {
    readonly id: string
    readonly hash: Buffer
    readonly clientId: string
    readonly name: string
    readonly expiresAt: Date | null
  },
  entry: AuditEntry,
  now: Date,
): Promise<ClientToken | null> {
  const { id, hash, clientId, name, expiresAt } = token
  const values = [tx.tenantId, id, clientId, hash, name, now, expiresAt]
  return recordChange<ClientToken>(tx, insert, values, entry, now)
}

/** Returns the client of a token that is valid; null otherwise. One statement. */
export async function useClientToken(
  tx: TenantTx,
  { id, hash }: { readonly id: string; readonly hash: Buffer },
  now: Date,
): Promise<{
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
} | null> {
  const [found] = await tx.rows<{ clientId: string; scopes: string[]; roles: string[] }>(use, [
    tx.tenantId,
    id,
    hash,
    now,
  ])
  return found ?? null
}

/** Deletes a token, as the only statement of its transaction. Returns whether it was there. */
export async function deleteClientToken(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  const values = [tx.tenantId, id]
  const removed = tx.rows(lock, values, [{ statement: remove, values }, auditStep(tx, entry, now)])
  return (await nullIfRefused(removed)) !== null
}

/** Returns one page of the tokens, and one row more if there is a next page. */
export async function listClientTokens(
  tx: TenantTx,
  request: PageRequest,
  filter: { readonly clientId?: string | undefined },
): Promise<ClientToken[]> {
  return page<ClientToken>(tx, request, [tx.tenantId], { ...filter })
}
