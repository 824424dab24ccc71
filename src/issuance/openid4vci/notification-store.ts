import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { PresentedToken } from './access-token.ts'

/** A wallet that reports failures and fetches the credential again, over and over, is recorded so often. */
const REPORTS_MAX = 10

// The old status decides, so reports at the same moment follow each other. A failure counts the reservations anew: the next one completes again.
const recordReport = sql(
  'issuance.record_notification',
  `with found as (
     select credential_id::text = $5 as named, issued_at is not null as issued from issuance
     where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and (status = 'offered' or issued_at is not null)
   ), reported as (
     update issuance set credential_status = $6, reports = reports + 1, updated_at = $7,
       status = case when $6 = 'failed' then 'failed' else status end,
       error = case when $6 = 'failed' then $8::jsonb end,
       reservations = case when $6 = 'failed' then 0 else reservations end,
       sealed_claims = case when $6 = 'rejected' then null else sealed_claims end
     where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and credential_id::text = $5 and status = 'completed'
       and reports < ${REPORTS_MAX} and (credential_status = 'issued' or (credential_status = 'accepted' and $6 = 'rejected'))
     returning id, credential_id, credential_status
   ), ${auditCte({ from: 'reported', subjectId: `case reported.credential_status when 'failed' then reported.id else reported.credential_id end`, first: 9 })}
   select issued and named as known from found`,
)

/** Why an issuance failed, as our API shows it. */
const FAILED = JSON.stringify({
  code: 424,
  message: 'The wallet reported that it could not take the credential.',
  details: [],
})

/** What a wallet reports. `tokensSince`: access tokens that ended before are not listened to any more. */
export type Report = {
  readonly granted: PresentedToken
  readonly tokensSince: Date
  readonly notificationId: string
  readonly becomes: 'accepted' | 'rejected' | 'failed'
}

/**
 * Records what became of an issued credential at the holder: it is accepted, rejected or failed; an accepted one may be rejected later, and nothing
 * follows a rejection. What does not fit, the same report again included, changes nothing.
 */
export async function storeNotification(
  tx: TenantTx,
  { granted: { id, tokenHash }, tokensSince, notificationId, becomes }: Report,
  entry: AuditEntry,
  now: Date,
): Promise<'recorded' | 'no_token' | 'unknown'> {
  const values = [
    tx.tenantId,
    id,
    tokenHash,
    tokensSince,
    notificationId,
    becomes,
    now,
    FAILED,
    ...auditValues(entry, now),
  ]
  const [row] = await tx.rows<{ known: boolean }>(recordReport, values)
  if (row === undefined) return 'no_token'
  return row.known ? 'recorded' : 'unknown'
}
