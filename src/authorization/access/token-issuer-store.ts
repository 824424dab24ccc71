import { type AcrossTx, sql } from '../../store/store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A provider whose access tokens are accepted at the API. */
export type TokenIssuer = Pick<IdentityProvider, 'id' | 'tenantId' | 'issuer' | 'claims' | 'roles' | 'namesPeople'> & {
  readonly audience: string
}

const find = sql(
  'authorization.find_token_issuers',
  `select id, tenant_id as "tenantId", issuer, claims, roles, audience, names_people as "namesPeople"
   from identity_provider
   where issuer = $1 and accept_tokens limit 1000`,
)

/**
 * Returns the providers of all tenants with this issuer whose access tokens are accepted. Whether the tenant is
 * disabled is NOT checked.
 */
export async function findTokenIssuers(tx: AcrossTx, issuer: string): Promise<readonly TokenIssuer[]> {
  return tx.rows<TokenIssuer>(find, [issuer])
}
