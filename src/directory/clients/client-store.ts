import { isRole, scopesOfRoles } from '../../caller.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { newId } from '../../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Client } from './client.ts'
import {
  DECIDED_COLUMNS,
  DECIDED_DIFFERS,
  DECIDED_EXCLUDED,
  DECIDED_MEMBERS,
  DECIDED_VALUES,
  decidedMembers,
} from './client-columns.ts'
import { insertSecretSql } from './client-secret-store.ts'

/** A client to create or change. `secretHash` and `keys` that are null stay as they are. */
export type ClientPut = Omit<
  Client,
  'tenantId' | 'tenantSlug' | 'scopes' | 'roles' | 'secrets' | 'keys' | 'lastUsedAt'
> & {
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  /**
   * New hash, null if the stored one matches. Replaces `replaces` only, so that one of two concurrent callers changes
   * it.
   */
  readonly secretHash: string | null
  readonly replaces: string | null
  readonly keys: readonly PublicJwk[] | null
}

/** `secretHash`: of the secret from the file, ended or not. */
type ClientOwner = Pick<Client, 'tenantId'> & { readonly secretHash: string | null }

/** `isEnabled`: neither the client nor its tenant is disabled. */
type FoundClient = { readonly client: Client; readonly isEnabled: boolean }

const find = sql(
  'directory.find_client',
  `select client.client_id as "clientId", client.tenant_id as "tenantId", tenant.slug as "tenantSlug", ${DECIDED_MEMBERS},
     client.jwks -> 'keys' as keys, client.last_used_at as "lastUsedAt",
     client.disabled_at is null and tenant.disabled_at is null as "isEnabled",
     (select coalesce(jsonb_agg(jsonb_build_object('hash', secret.hash, 'isMade', secret.is_made,
        'endsAtMs', trunc(extract(epoch from secret.ends_at) * 1000))), '[]')
      from client_secret secret where secret.tenant_id = client.tenant_id and secret.client_id = client.client_id) as secrets
   from client join tenant on tenant.id = client.tenant_id
   where client.client_id = $1`,
)
const findOwner = sql(
  'directory.find_client_owner',
  `select client.tenant_id as "tenantId", secret.hash as "secretHash" from client
     left join client_secret secret on secret.tenant_id = client.tenant_id and secret.client_id = client.client_id and not secret.is_made
   where client.client_id = $1`,
)
/** SQL: inserts a client, with the values of {@link clientValues}, one row or as many as `from` has. */
export function insertClientSql(from?: string): string {
  const values = `:tenantId, :id, :clientId, :now, :now, :isOfFile, ${DECIDED_VALUES}, :jwks::jsonb,
     case when :isDisabled then :now::timestamptz end`
  return `insert into client (tenant_id, id, client_id, created_at, updated_at, is_of_file, ${DECIDED_COLUMNS}, jwks,
     disabled_at)
   ${from === undefined ? `values (${values})` : `select ${values} from ${from}`}`
}
const put = sql(
  'directory.put_client',
  `${insertClientSql()}
   on conflict (client_id) do update set ${DECIDED_EXCLUDED}, jwks = coalesce(excluded.jwks, client.jwks),
     updated_at = greatest(excluded.updated_at,
       (client.updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC'),
     is_of_file = true
   where ${DECIDED_DIFFERS} or client.jwks is distinct from coalesce(excluded.jwks, client.jwks)
     or not client.is_of_file
   returning (xmax = 0) as created`,
)
const putSecret = sql(
  'directory.put_client_secret',
  `${insertSecretSql} on conflict (tenant_id, client_id) where not is_made do update set id = excluded.id,
     hash = excluded.hash, created_at = excluded.created_at, ends_at = null
   where client_secret.hash is not distinct from :replaces
   returning id`,
)

const release = sql(
  'directory.release_clients',
  'update client set is_of_file = false where tenant_id = $1 and is_of_file and client_id <> all($2::text[])',
)
const touch = sql(
  'directory.touch_client',
  `update client set last_used_at = $4 where tenant_id = $1 and client_id = $2 and (last_used_at is null or last_used_at <= $3)`,
)

const listRedirects = sql(
  'directory.list_public_redirects',
  `select distinct uri from client join tenant on tenant.id = client.tenant_id cross join unnest(client.redirect_uris) uri
   where client.is_public and client.disabled_at is null and tenant.disabled_at is null limit $1`,
)

/** Returns at most `limit` redirect URIs of the public clients of all tenants. */
export async function listPublicRedirects(tx: AcrossTx, limit: number): Promise<readonly string[]> {
  return (await tx.rows<{ uri: string }>(listRedirects, [limit])).map(({ uri }) => uri)
}

/** Returns the client with this id, of whatever tenant, also a disabled one; null if the id is free. */
export async function findClientRow(tx: AcrossTx, clientId: string): Promise<FoundClient | null> {
  if (clientId.includes('\0')) return null
  const [found] = await tx.rows<Omit<Client, 'roles'> & { roles: string[]; isEnabled: boolean }>(find, [clientId])
  if (found === undefined) return null
  const { roles, scopes, isEnabled, ...row } = found
  const client = { ...row, roles: roles.filter(isRole), scopes: [...new Set([...scopes, ...scopesOfRoles(roles)])] }
  return { client, isEnabled }
}

/** Returns the tenant that a client id belongs to and the hash of its secret; null if the id is free. */
export async function findClientOwner(tx: AcrossTx, clientId: string): Promise<ClientOwner | null> {
  const [owner] = await tx.rows<ClientOwner>(findOwner, [clientId])
  return owner ?? null
}

/** Creates or changes a client of the transaction's tenant. Returns null if nothing had to change. */
export async function putClient(tx: TenantTx, client: ClientPut, now: Date): Promise<'created' | 'changed' | null> {
  const { clientId, secretHash } = client
  const [row] = await tx.rows<{ created: boolean }>(put, {
    tenantId: tx.tenantId,
    id: newId(),
    clientId,
    ...clientValues({ ...client, disabled: false }),
    isOfFile: true,
    now,
  })
  const secret = { id: newId(), clientId, hash: secretHash, isMade: false, now, replaces: client.replaces }
  const secrets = secretHash === null ? [] : await tx.rows(putSecret, { tenantId: tx.tenantId, ...secret })
  if (row?.created === true) return 'created'
  return row !== undefined || secrets.length > 0 ? 'changed' : null
}

/** Returns the values of what an organisation decides about a client. */
export function clientValues(client: Omit<ClientPut, 'clientId' | 'secretHash' | 'replaces'> & { disabled: boolean }) {
  return {
    ...Object.fromEntries(decidedMembers.map((member) => [member, client[member]])),
    jwks: client.keys === null ? null : JSON.stringify({ keys: client.keys }),
    isDisabled: client.disabled,
  }
}

/** Lets the API change the clients of a tenant that the bootstrap file does not declare any more. */
export async function releaseClients(tx: TenantTx, declared: readonly string[]): Promise<void> {
  await tx.rows(release, [tx.tenantId, declared])
}

/** Sets the time of the last use, unless it is later than `before`. */
export async function touchClient(tx: TenantTx, clientId: string, before: Date, now: Date): Promise<void> {
  await tx.rows(touch, [tx.tenantId, clientId, before, now])
}
