import { sql, type TenantTx } from '../../store/store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A provider to create or change. */
export type ProviderPut = Omit<IdentityProvider, 'tenantId' | 'updatedAt'>

const COLUMNS = `tenant_id as "tenantId", id, name, display_name as "displayName", issuer, client_id as "clientId",
  sealed_client_secret as "sealedClientSecret", scopes, claims, roles, creates_users as "createsUsers", sign_in as "signIn",
  accept_tokens as "acceptTokens", audience, names_people as "namesPeople", updated_at as "updatedAt"`
const put = sql(
  'authorization.put_provider',
  `insert into identity_provider (tenant_id, id, name, display_name, issuer, client_id, sealed_client_secret, scopes, claims, roles, creates_users,
     sign_in, accept_tokens, audience, created_at, updated_at, names_people)
   values (:tenantId, :id, :name, :displayName, :issuer, :clientId, :sealedClientSecret, :scopes, :claims::jsonb,
     :roles::jsonb, :createsUsers, :signIn, :acceptTokens, :audience, :now, :now, :namesPeople)
   on conflict (tenant_id, id) do update set display_name = excluded.display_name, issuer = excluded.issuer, client_id = excluded.client_id,
     sealed_client_secret = excluded.sealed_client_secret, scopes = excluded.scopes, claims = excluded.claims, roles = excluded.roles,
     creates_users = excluded.creates_users, sign_in = excluded.sign_in, accept_tokens = excluded.accept_tokens, audience = excluded.audience,
     updated_at = excluded.updated_at, names_people = excluded.names_people
   returning (xmax = 0) as created`,
)
// A subject identifies an account at its issuer only (OpenID Connect Core 1.0, 2).
const endLinks = sql(
  'authorization.end_links_of_other_issuer',
  `delete from external_identity link where link.tenant_id = $1 and link.provider_id = $2
     and exists (select from identity_provider known
       where known.tenant_id = $1 and known.id = $2 and known.issuer <> $3)`,
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

/**
 * Creates or changes a provider of the transaction's tenant. With another issuer the links of users to their accounts
 * end. Throws the unique violation if another process created its name.
 */
export async function putProvider(tx: TenantTx, one: ProviderPut, now: Date): Promise<'created' | 'changed'> {
  const { id, name, displayName, issuer, clientId, sealedClientSecret, scopes, createsUsers, signIn, acceptTokens } =
    one
  await tx.rows(endLinks, [tx.tenantId, id, issuer])
  const [row] = await tx.rows<{ created: boolean }>(put, {
    tenantId: tx.tenantId,
    id,
    name,
    displayName,
    issuer,
    clientId,
    sealedClientSecret,
    scopes,
    claims: JSON.stringify(one.claims),
    roles: JSON.stringify(one.roles),
    createsUsers,
    signIn,
    acceptTokens,
    audience: one.audience,
    namesPeople: one.namesPeople,
    now,
  })
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
