import type { UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

const put = sql(
  'authorization.put_consent',
  `insert into consent (tenant_id, user_id, client_id, scopes, granted_at, issuer) values ($1, $2, $3, $4::text[], $5, $6)
   on conflict (tenant_id, user_id, client_id, issuer) do update set granted_at = excluded.granted_at,
     scopes = merged_scopes(consent.scopes, excluded.scopes)`,
)
const find = sql(
  'authorization.find_consent',
  'select scopes, granted_at as "grantedAt" from consent where tenant_id = $1 and user_id = $2 and client_id = $3 and issuer = $4',
)

/** A client that a user of the transaction's tenant allows to act, with tokens of the authorization server `issuer`. */
type ConsentKey = { readonly userId: UserId; readonly clientId: string; readonly issuer: string }

/** Records that the user allows the client these scopes, besides those allowed before. */
export async function grantConsent(
  tx: TenantTx,
  { userId, clientId, issuer, scopes }: ConsentKey & { readonly scopes: readonly string[] },
  now: Date,
): Promise<void> {
  await tx.rows(put, [tx.tenantId, userId, clientId, scopes, now, issuer])
}

/** Returns what the user allows the client; null if nothing. */
export async function findConsent(
  tx: TenantTx,
  { userId, clientId, issuer }: ConsentKey,
): Promise<{ readonly scopes: readonly string[]; readonly grantedAt: Date } | null> {
  const [row] = await tx.rows<{ scopes: string[]; grantedAt: Date }>(find, [tx.tenantId, userId, clientId, issuer])
  return row ?? null
}
