import type { PublicJwk } from '../../crypto/jwk.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Client } from './client.ts'

/** A client to create or change. `secretHash` and `keys` that are null stay as they are. */
export type ClientPut = {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** New hash, null if the stored one matches. Replaces `replaces` only, so that one of two concurrent callers changes it. */
  readonly secretHash: string | null
  readonly replaces: string | null
  readonly keys: readonly PublicJwk[] | null
}

type ClientOwner = Pick<Client, 'tenantId' | 'secretHash'>

const findActive = sql(
  'directory.find_client',
  `select client.client_id as "clientId", client.tenant_id as "tenantId", tenant.slug as "tenantSlug", client.scopes,
     client.secret_hash as "secretHash", client.jwks -> 'keys' as keys
   from client join tenant on tenant.id = client.tenant_id
   where client.client_id = $1 and client.disabled_at is null and tenant.disabled_at is null`,
)
const findOwner = sql(
  'directory.find_client_owner',
  'select tenant_id as "tenantId", secret_hash as "secretHash" from client where client_id = $1',
)
const put = sql(
  'directory.put_client',
  `insert into client (tenant_id, client_id, scopes, secret_hash, jwks, created_at, updated_at)
   values ($1, $2, $3::text[], coalesce($4::text, $7::text), $5::jsonb, $6, $6)
   on conflict (client_id) do update set scopes = excluded.scopes, jwks = coalesce(excluded.jwks, client.jwks), updated_at = excluded.updated_at,
     secret_hash = case when client.secret_hash is not distinct from $7 then coalesce($4, client.secret_hash) else client.secret_hash end
   where client.scopes <> excluded.scopes
      or client.jwks is distinct from coalesce(excluded.jwks, client.jwks)
      or ($4::text is not null and client.secret_hash is not distinct from $7)
   returning (xmax = 0) as created`,
)

/** Returns the client with this id, of whatever tenant; null if it or its tenant is disabled. */
export async function findClientRow(tx: AcrossTx, clientId: string): Promise<Client | null> {
  if (clientId.includes('\0')) return null
  const [client] = await tx.rows<Client>(findActive, [clientId])
  return client ?? null
}

/** Returns the tenant that a client id belongs to and the hash of its secret; null if the id is free. */
export async function findClientOwner(tx: AcrossTx, clientId: string): Promise<ClientOwner | null> {
  const [owner] = await tx.rows<ClientOwner>(findOwner, [clientId])
  return owner ?? null
}

/** Creates or changes a client of the transaction's tenant. Returns null if nothing had to change. */
export async function putClient(tx: TenantTx, client: ClientPut, now: Date): Promise<'created' | 'changed' | null> {
  const { clientId, scopes, secretHash, replaces, keys } = client
  const jwks = keys === null ? null : JSON.stringify({ keys })
  const values = [tx.tenantId, clientId, scopes, secretHash, jwks, now, replaces]
  const [row] = await tx.rows<{ created: boolean }>(put, values)
  if (row === undefined) return null
  return row.created ? 'created' : 'changed'
}
