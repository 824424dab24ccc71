import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx, wrote } from '../../store/store.ts'
import type { PresentedToken } from '../offers/access-token.ts'

/** Bounds the audit entries of a wallet that reports failures and requests the credential again, repeatedly. */
const REPORTS_MAX = 10

// The old status is in WHERE, so concurrent reports apply in order. A failure resets the reservations: the next one
// completes the issuance again.
const recordReport = sql(
  'issuance.record_notification',
  `update issuance set credential_status = $5, reports = reports + 1, updated_at = $6,
     accepted_at = case when $5 = 'accepted' then $6 else accepted_at end,
     status = case when $5 = 'failed' then 'failed' else status end,
     error = case when $5 = 'failed' then $7::jsonb end,
     reservations = case when $5 = 'failed' then 0 else reservations end,
     sealed_claims = case when $5 = 'rejected' then null else sealed_claims end,
     sealed_label = case when $5 = 'rejected' then null else sealed_label end
   where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and status = 'completed'
     and reports < ${REPORTS_MAX} and (credential_status = 'issued' or (credential_status = 'accepted' and $5 = 'rejected'))
   returning exists (select from replacement r where r.tenant_id = $1 and r.id = $2 and r.outcome is null) as replaces`,
)
const wasReported = wrote('issuance.require_report', 'issuance')
const selectReported = sql(
  'issuance.find_reported',
  `select issued_at is not null as "isIssued" from issuance
   where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4 and (status = 'offered' or issued_at is not null)`,
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
  readonly becomes: 'accepted' | 'rejected' | 'failed'
}

/**
 * Records that the wallet accepted, rejected or failed to store an issued credential, with the audit entry. An accepted
 * one may be rejected later; a rejection is final.
 *
 * @returns whether the credential takes the place of another one
 * @throws Refused for any other report, a repeated one included
 */
export async function insertReport(tx: TenantTx, report: Report, entry: AuditEntry, now: Date): Promise<boolean> {
  const { granted, tokensSince, becomes } = report
  const values = [tx.tenantId, granted.id, granted.tokenHash, tokensSince, becomes, now, FAILED]
  const [recorded] = await tx.rows<{ replaces: boolean }>(recordReport, values, [
    { statement: wasReported, values: { tenantId: tx.tenantId, id: granted.id } },
    auditStep(tx, entry, now),
  ])
  return recorded?.replaces === true
}

/** Returns whether the credential of an access token was issued; null: the token is unknown, revoked or expired. */
export async function findReported(
  tx: TenantTx,
  { granted, tokensSince }: Pick<Report, 'granted' | 'tokensSince'>,
): Promise<{ readonly isIssued: boolean } | null> {
  const values = [tx.tenantId, granted.id, granted.tokenHash, tokensSince]
  return (await tx.rows<{ isIssued: boolean }>(selectReported, values))[0] ?? null
}
