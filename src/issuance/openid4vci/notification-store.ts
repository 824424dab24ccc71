import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import type { PresentedToken } from '../offers/access-token.ts'

/** Bounds the audit entries of a wallet that reports failures and requests the credential again, repeatedly. */
const REPORTS_MAX = 10

// The old status is in WHERE, so concurrent reports apply in order. A failure resets the reservations: the next one completes the issuance again.
const recordReport = sql(
  'issuance.record_notification',
  `with found as (
     select issued_at is not null as issued from issuance
     where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and (status = 'offered' or issued_at is not null)
   ), reported as (
     update issuance set credential_status = $6, reports = reports + 1, updated_at = $7,
       accepted_at = case when $6 = 'accepted' then $7 else accepted_at end,
       status = case when $6 = 'failed' then 'failed' else status end,
       error = case when $6 = 'failed' then $8::jsonb end,
       reservations = case when $6 = 'failed' then 0 else reservations end,
       sealed_claims = case when $6 = 'rejected' then null else sealed_claims end,
       sealed_label = case when $6 = 'rejected' then null else sealed_label end
     where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and $5::boolean and status = 'completed'
       and reports < ${REPORTS_MAX} and (credential_status = 'issued' or (credential_status = 'accepted' and $6 = 'rejected'))
     returning id
   ), ${auditCte({ from: 'reported', first: 9 })}
   select issued and $5 as known from found`,
)

/** Error of an issuance in our API. */
const FAILED = JSON.stringify({
  code: 424,
  message: 'The wallet reported that it could not take the credential.',
  details: [],
})

/** A notification. `tokensSince`: access tokens that expired before are refused. */
type Report = {
  readonly granted: PresentedToken
  readonly tokensSince: Date
  readonly notificationId: string
  readonly becomes: 'accepted' | 'rejected' | 'failed'
}

/**
 * Records that the wallet accepted, rejected or failed to store an issued credential. An accepted one may be rejected later; a rejection is
 * final. Any other report, a repeated one included, changes nothing.
 */
export async function storeNotification(
  tx: TenantTx,
  { granted: { id, tokenHash }, tokensSince, notificationId, becomes }: Report,
  entry: AuditEntry,
  now: Date,
): Promise<'recorded' | 'no_token' | 'unknown'> {
  const isNamed = notificationId === credentialIdOf(id)
  const values = [tx.tenantId, id, tokenHash, tokensSince, isNamed, becomes, now, FAILED, ...auditValues(entry, now)]
  const [row] = await tx.rows<{ known: boolean }>(recordReport, values)
  if (row === undefined) return 'no_token'
  return row.known ? 'recorded' : 'unknown'
}
