import { type AcrossTx, sql } from '../../store/store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A provider whose access tokens are accepted at the API. */
export type TokenIssuer = Pick<IdentityProvider, 'id' | 'tenantId' | 'issuer' | 'claims' | 'roles'> & {
  readonly audience: string
}

const find = sql(
  'authorization.find_token_issuers',
  `select provider.id, provider.tenant_id as "tenantId", provider.issuer, provider.claims, provider.roles, provider.audience
   from identity_provider provider join tenant on tenant.id = provider.tenant_id and tenant.disabled_at is null
   where provider.issuer = $1 and provider.accept_tokens limit 1000`,
)

/** Returns the providers of all tenants with this issuer whose access tokens are accepted. */
export async function findTokenIssuers(tx: AcrossTx, issuer: string): Promise<readonly TokenIssuer[]> {
  return tx.rows<TokenIssuer>(find, [issuer])
}
