import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { sql, type TenantTx, wrote } from '../../store/store.ts'
import type { ClaimedRequest, RequestError, RequestOutcome } from './presentation-request.ts'
import { isThis, pendingColumns } from './request-store.ts'

// An answer of a browser has no state [VP-D2].
const isAddressed = '(state = $3 or ($3::text is null and digital_credentials is not null))'

// Safe to repeat with the same values, as is `completeClaimed`: a call whose database answer was lost does so.
const claimPending = sql(
  'verification.claim_request',
  `update presentation_request set status = 'answering', ${take('$5', '$6')}
   where ${isThis} and ${isAddressed} and expires_at > $4 and status in ('requested', 'answering') and (${isFree('$4')} or ${isHeld('$5')})
     and case when $7 = 'accepted' then true
       when $7 = 'by-default' then coalesce(verifier_config->>'responseMode', '') <> 'direct_post.jwt'
       when $7 = 'if-stated' then verifier_config->>'responseMode' = 'direct_post' else false end
   returning ${pendingColumns}, claim, redirect_uri as "redirectUri"`,
)

const findClaimed = sql(
  'verification.find_claimed_request',
  `select id from presentation_request where ${isThis} and ${isAddressed} and status = 'answering' and expires_at > $4`,
)

const completeClaimed = sql(
  'verification.complete_request',
  `update presentation_request set status = $4, ${RELEASE}, transaction_data = null, completed_by = $3, completed_at = $9, error = $5::jsonb,
     result = $6, result_until = $7, response_code_hash = $8, updated_at = $9
   where ${isThis} and ${isHeld('$3')}`,
)
const wasCompleted = wrote('verification.require_completion', 'presentation_request')
const findCompleted = sql(
  'verification.find_completed_request',
  `select id from presentation_request where ${isThis} and completed_by = $3`,
)

const releaseClaimed = sql(
  'verification.release_request',
  `update presentation_request set status = 'requested', ${RELEASE}, error = $4::jsonb, updated_at = $5 where ${isThis} and ${isHeld('$3')}`,
)

/**
 * When a response without encryption is accepted: `accepted`: this one is encrypted, or an error, which may come in the
 * clear (OpenID4VP 1.0, 8.3); `by-default`: unless the template requires encryption; `if-stated`: if the template says
 * so; `never`.
 */
export type PlainResponses = 'accepted' | 'by-default' | 'if-stated' | 'never'

/**
 * Claims an open request, so that of concurrent responses one is checked. The next response may claim it when the lease
 * has expired.
 *
 * @param state Null: the answer of a browser.
 * @param plain When a response like this one is accepted without encryption.
 * @returns null if the request is not open, `state` is not its own, it is not for browsers, or the response must be
 *   encrypted.
 */
export async function claimRequest(
  tx: TenantTx,
  id: string,
  state: string | null,
  now: Date,
  { claim, leaseUntil }: Lease,
  plain: PlainResponses,
): Promise<ClaimedRequest | null> {
  const values = [tx.tenantId, id, state, now, claim, leaseUntil, plain]
  const [row] = await tx.rows<ClaimedRequest>(claimPending, values)
  return row ?? null
}

/** Returns whether a process is checking a response to the request, or has died while doing so. */
export async function isClaimed(tx: TenantTx, id: string, state: string | null, now: Date): Promise<boolean> {
  return (await tx.rows(findClaimed, [tx.tenantId, id, state, now])).length > 0
}

/** The columns of a completed request. `result` is sealed. */
export type Completion = Omit<RequestOutcome, 'credentials'> & {
  readonly result: Buffer | null
  readonly resultUntil: Date | null
  readonly responseCodeHash: Buffer | null
}

/**
 * Completes a claimed request, with its audit entry.
 *
 * @throws Refused if the request is not held under the claim; then nothing was written
 */
export async function completeRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  { status, error, result, resultUntil, responseCodeHash }: Completion,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const json = error === null ? null : JSON.stringify(error)
  const completed = [tx.tenantId, id, claim, status, json, result, resultUntil, responseCodeHash, now]
  const steps = [{ statement: wasCompleted, values: { tenantId: tx.tenantId, id } }, auditStep(tx, entry, now)]
  await tx.rows(completeClaimed, completed, steps)
}

/** Returns whether the request was completed under the claim. */
export async function isCompletedBy(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
): Promise<boolean> {
  return (await tx.rows(findCompleted, [tx.tenantId, id, claim])).length === 1
}

/** Releases a claimed request with the reason. Does nothing if the claim was lost. */
export async function releaseRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  error: RequestError,
  now: Date,
): Promise<void> {
  await tx.rows(releaseClaimed, [tx.tenantId, id, claim, JSON.stringify(error), now])
}
