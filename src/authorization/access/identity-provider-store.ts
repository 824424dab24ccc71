import { sql, type TenantTx } from '../../store/store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A provider to create or change. */
export type ProviderPut = Omit<IdentityProvider, 'tenantId' | 'updatedAt'>

const COLUMNS = `tenant_id as "tenantId", id, name, display_name as "displayName", issuer, client_id as "clientId",
  sealed_client_secret as "sealedClientSecret", scopes, claims, roles, creates_users as "createsUsers", sign_in as "signIn",
  accept_tokens as "acceptTokens", audience, updated_at as "updatedAt"`
const put = sql(
  'authorization.put_provider',
  `insert into identity_provider (tenant_id, id, name, display_name, issuer, client_id, sealed_client_secret, scopes, claims, roles, creates_users,
     sign_in, accept_tokens, audience, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, $12, $13, $14, $15, $15)
   on conflict (tenant_id, id) do update set display_name = excluded.display_name, issuer = excluded.issuer, client_id = excluded.client_id,
     sealed_client_secret = excluded.sealed_client_secret, scopes = excluded.scopes, claims = excluded.claims, roles = excluded.roles,
     creates_users = excluded.creates_users, sign_in = excluded.sign_in, accept_tokens = excluded.accept_tokens, audience = excluded.audience,
     updated_at = excluded.updated_at
   returning (xmax = 0) as created`,
)
const findByName = sql(
  'authorization.find_provider',
  `select ${COLUMNS} from identity_provider where tenant_id = $1 and name = $2`,
)
const findById = sql(
  'authorization.find_provider_by_id',
  `select ${COLUMNS} from identity_provider where tenant_id = $1 and id = $2`,
)
const list = sql(
  'authorization.list_providers',
  `select ${COLUMNS} from identity_provider where tenant_id = $1 order by name`,
)

/** Creates or changes a provider of the transaction's tenant. Throws the unique violation if another process created its name. */
export async function putProvider(tx: TenantTx, one: ProviderPut, now: Date): Promise<'created' | 'changed'> {
  const { id, name, displayName, issuer, clientId, sealedClientSecret, scopes, createsUsers, signIn, acceptTokens } =
    one
  const [row] = await tx.rows<{ created: boolean }>(put, [
    ...[tx.tenantId, id, name, displayName, issuer, clientId, sealedClientSecret, scopes],
    ...[JSON.stringify(one.claims), JSON.stringify(one.roles), createsUsers, signIn, acceptTokens, one.audience, now],
  ])
  return row?.created === true ? 'created' : 'changed'
}

/** Returns the provider of a tenant with this name. */
export async function findProviderByName(tx: TenantTx, name: string): Promise<IdentityProvider | null> {
  return (await tx.rows<IdentityProvider>(findByName, [tx.tenantId, name]))[0] ?? null
}

/** Returns the provider of a tenant with this id. */
export async function findProviderById(tx: TenantTx, id: string): Promise<IdentityProvider | null> {
  return (await tx.rows<IdentityProvider>(findById, [tx.tenantId, id]))[0] ?? null
}

/** Lists the providers of a tenant by name. */
export async function listProviders(tx: TenantTx): Promise<readonly IdentityProvider[]> {
  return tx.rows<IdentityProvider>(list, [tx.tenantId])
}
