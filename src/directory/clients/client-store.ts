import type { Scope, TenantId } from '../../caller.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Client } from './client.ts'

/** What a file or an administrator says about a client. Secret and keys that are null stay as they are. */
export type ClientPut = {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** New hash, null if the stored one is right. It takes the place of `replaces` only, so that of two callers one changes it. */
  readonly secretHash: string | null
  readonly replaces: string | null
  readonly keys: readonly PublicJwk[] | null
}

type Row = {
  client_id: string
  tenant_id: TenantId
  slug: string
  scopes: Scope[]
  secret_hash: string | null
  jwks: { keys: PublicJwk[] } | null
}

const findActive = sql(
  'directory.client',
  `select client.client_id, client.tenant_id, tenant.slug, client.scopes, client.secret_hash, client.jwks
   from client join tenant on tenant.id = client.tenant_id
   where client.client_id = $1 and client.disabled_at is null and tenant.disabled_at is null`,
)
const findOwner = sql('directory.client_owner', 'select tenant_id, secret_hash from client where client_id = $1')
const put = sql(
  'directory.client_put',
  `insert into client (tenant_id, client_id, scopes, secret_hash, jwks, created_at, updated_at)
   values ($1, $2, $3::text[], coalesce($4::text, $7::text), $5::jsonb, $6, $6)
   on conflict (client_id) do update set scopes = excluded.scopes, jwks = coalesce(excluded.jwks, client.jwks), updated_at = excluded.updated_at,
     secret_hash = case when client.secret_hash is not distinct from $7 then coalesce($4, client.secret_hash) else client.secret_hash end
   where client.scopes <> excluded.scopes
      or client.jwks is distinct from coalesce(excluded.jwks, client.jwks)
      or ($4::text is not null and client.secret_hash is not distinct from $7)
   returning (xmax = 0) as created`,
)

/** The client with this id on the whole platform, unless it or its tenant is disabled. */
export async function findClientRow(tx: AcrossTx, clientId: string): Promise<Client | null> {
  if (clientId.includes('\0')) return null
  const [row] = await tx.rows<Row>(findActive, [clientId])
  if (row === undefined) return null
  return {
    clientId: row.client_id,
    tenantId: row.tenant_id,
    tenantSlug: row.slug,
    scopes: row.scopes,
    secretHash: row.secret_hash,
    keys: row.jwks?.keys ?? null,
  }
}

/** Whose client id it is, and the hash of its secret; null if it is free. */
export async function findClientOwner(tx: AcrossTx, clientId: string) {
  const [row] = await tx.rows<{ tenant_id: TenantId; secret_hash: string | null }>(findOwner, [clientId])
  return row === undefined ? null : { tenantId: row.tenant_id, secretHash: row.secret_hash }
}

/** Makes or changes a client of the transaction's tenant. @returns null if nothing had to change. */
export async function putClient(tx: TenantTx, ask: ClientPut, now: Date): Promise<'created' | 'changed' | null> {
  const { clientId, scopes, secretHash, replaces, keys } = ask
  const jwks = keys === null ? null : JSON.stringify({ keys })
  const values = [tx.tenantId, clientId, scopes, secretHash, jwks, now, replaces]
  const [row] = await tx.rows<{ created: boolean }>(put, values)
  if (row === undefined) return null
  return row.created ? 'created' : 'changed'
}
