import type { UserId } from '../../caller.ts'
import type { PresentationStatus } from '../../contract/wallet/presentations.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx, wrote } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { PresentationRow } from './presentation.ts'

/**
 * A presentation with its sealed parts. `sealedRequest` is null once the status is final; `sealedAnswer` is set while
 * the verifier may have an answer that it did not confirm.
 */
export type SealedPresentation = PresentationRow & {
  readonly sealedRequest: Buffer | null
  readonly sealedView: Buffer
  readonly sealedAnswer: Buffer | null
}

const COLUMNS = `id, status, sealed_answer is not null as "isAnswering", expires_at as "expiresAt", created_at as "createdAt",
  updated_at as "updatedAt", sealed_request as "sealedRequest", sealed_view as "sealedView", sealed_answer as "sealedAnswer"`
const OF_USER = 'tenant_id = $1 and user_id = $2'
/** SQL for the status as shown to the holder at $3. */
export const STATUS_NOW = `case when status = 'pending' and sealed_answer is null and expires_at <= $3 then 'expired' else status end`

const insertStatement = sql(
  'wallet.insert_presentation',
  `insert into wallet_presentation (tenant_id, id, user_id, status, sealed_request, sealed_view, expires_at, created_at, updated_at)
   values ($1, $2, $3, 'pending', $4, $5, $6, $7, $7)`,
)
const findStatement = sql(
  'wallet.find_presentation',
  `select ${COLUMNS} from wallet_presentation where ${OF_USER} and id = $3`,
)
const page = pagedList({
  name: 'wallet.presentations',
  select: `select ${COLUMNS} from wallet_presentation where ${OF_USER} and $3::timestamptz is not null`,
  parameters: 3,
  id: 'id',
  filters: { status: (value) => `${STATUS_NOW} = ${value}` },
})
// Succeeds again with the same values, so that a call whose database answer was lost may repeat it.
const beginStatement = sql(
  'wallet.begin_answer',
  `update wallet_presentation set ${take('$7', '$8')}, sealed_view = $5, sealed_answer = $6, credential_ids = $9::uuid[],
     updated_at = $4
   where ${OF_USER} and id = $3 and status = 'pending' and (
     (sealed_answer is null and expires_at > $4)
     or (sealed_answer = $6 and (${isFree('$4')} or ${isHeld('$7')})))
   returning id`,
)
const endStatement = sql(
  'wallet.end_answer',
  `update wallet_presentation
   set status = $4, sealed_view = $5, sealed_request = null, sealed_answer = null, ${RELEASE}, updated_at = $6
   where ${OF_USER} and id = $3 and status = 'pending'
     and (${isHeld('$7::uuid')} or ($7::uuid is null and sealed_answer is null and expires_at > $6))
   returning ${COLUMNS}`,
)
// A sent answer that is taken back changes the lease only. The sealed columns are not readable across tenants.
const versionsStatement = sql(
  'wallet.list_presentation_versions',
  `select tenant_id as "tenantId", id,
     concat_ws(' ', status, status = 'pending' and expires_at <= $3, claim, updated_at) as version
   from wallet_presentation where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)
const wasEnded = wrote('wallet.require_ended_answer', 'wallet_presentation')
const pauseStatement = sql(
  'wallet.pause_answer',
  `update wallet_presentation set ${RELEASE}, sealed_view = $5, sealed_answer = $6,
     credential_ids = case when $6::bytea is null then '{}' else credential_ids end
   where ${OF_USER} and id = $3 and status = 'pending' and ${isHeld('$4')}`,
)
const showStatement = sql(
  'wallet.show_rejection',
  `update wallet_presentation set sealed_view = $4, updated_at = $5 where ${OF_USER} and id = $3 and status = 'rejected'`,
)
/** The time to answer is over, and no call is sending an answer. */
const due = (now: string) => `status = 'pending' and expires_at <= ${now} and ${isFree(now)}`
const expireStatement = sql(
  'wallet.expire_presentations',
  `update wallet_presentation
   set status = case when sealed_answer is null then 'expired' else 'failed' end,
     sealed_request = null, sealed_answer = null, ${RELEASE}, updated_at = $2
   where tenant_id = $1 and ${due('$2')}`,
)

/** Inserts a request as pending, with its audit entry. */
export async function insertPresentation(
  tx: TenantTx,
  userId: UserId,
  made: Pick<SealedPresentation, 'id' | 'sealedRequest' | 'sealedView' | 'expiresAt' | 'createdAt'>,
  entry: AuditEntry,
): Promise<void> {
  const { id, sealedRequest, sealedView, expiresAt, createdAt } = made
  const values = [tx.tenantId, id, userId, sealedRequest, sealedView, expiresAt, createdAt]
  await tx.rows(insertStatement, values, [auditStep(tx, entry, createdAt)])
}

/** @returns null also for a presentation of another user. */
export async function findPresentation(tx: TenantTx, userId: UserId, id: string): Promise<SealedPresentation | null> {
  return (await tx.rows<SealedPresentation>(findStatement, [tx.tenantId, userId, id]))[0] ?? null
}

/** Returns one page, and one row more if there is a next page. */
export async function listPresentations(
  tx: TenantTx,
  userId: UserId,
  status: PresentationStatus | null,
  list: PageRequest,
  now: Date,
): Promise<SealedPresentation[]> {
  return page<SealedPresentation>(tx, list, [tx.tenantId, userId, now], { status })
}

/**
 * Leases a presentation to send an answer, and stores the answer before it is sent. One statement: of concurrent
 * answers one gets the lease, and none after the time is over. A stored answer is leased again once no call is sending
 * it.
 *
 * @returns whether the lease was taken.
 */
export async function beginAnswer(
  tx: TenantTx,
  userId: UserId,
  {
    id,
    sealedView,
    sealedAnswer,
    claim,
    leaseUntil,
    credentialIds,
  }: Pick<SealedPresentation, 'id' | 'sealedView' | 'sealedAnswer'> &
    Lease & { readonly credentialIds: readonly string[] },
  now: Date,
): Promise<boolean> {
  const values = [tx.tenantId, userId, id, now, sealedView, sealedAnswer, claim, leaseUntil, credentialIds]
  return (await tx.rows(beginStatement, values)).length > 0
}

/**
 * Ends a presentation with its final status and its audit entry; what was needed to answer is cleared.
 *
 * @param end `claim`: of the call that sent the answer; null: none was sent.
 * @throws Refused if another call has taken the lease over, or the presentation has ended.
 */
export async function endAnswer(
  tx: TenantTx,
  userId: UserId,
  end: Pick<SealedPresentation, 'id' | 'status' | 'sealedView'> & { readonly claim: string | null },
  entry: AuditEntry,
  now: Date,
): Promise<SealedPresentation | null> {
  const { id, status, sealedView, claim } = end
  const values = [tx.tenantId, userId, id, status, sealedView, now, claim]
  const steps = [{ statement: wasEnded, values: { tenantId: tx.tenantId, id } }, auditStep(tx, entry, now)]
  return (await tx.rows<SealedPresentation>(endStatement, values, steps))[0] ?? null
}

/** Releases the lease. `left`: what stays stored; without an answer the presentation is as it was before. */
export async function pauseAnswer(
  tx: TenantTx,
  userId: UserId,
  { id, claim }: Pick<SealedPresentation, 'id'> & Pick<Lease, 'claim'>,
  left: Pick<SealedPresentation, 'sealedView' | 'sealedAnswer'>,
): Promise<void> {
  await tx.rows(pauseStatement, [tx.tenantId, userId, id, claim, left.sealedView, left.sealedAnswer])
}

/** Stores how the verifier answered to a refusal. */
export async function showRejection(
  tx: TenantTx,
  userId: UserId,
  { id, sealedView }: Pick<SealedPresentation, 'id' | 'sealedView'>,
  now: Date,
): Promise<void> {
  await tx.rows(showStatement, [tx.tenantId, userId, id, sealedView, now])
}

/** Long polling of presentations. */
export const watchedPresentations: WatchedKind = {
  name: 'presentation',
  versions: async (tx, watched, now) =>
    tx.rows(versionsStatement, [watched.map((one) => one.tenantId), watched.map((one) => one.id), now]),
}

/**
 * Ends presentations that were not answered in time: as failed where the verifier may have an unconfirmed answer, else
 * as expired.
 */
export async function expirePresentations(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(expireStatement, [tx.tenantId, now])
}

/** Lists tenants that have presentations to expire. */
export const listTenantsWithDuePresentations = tenantsWith(
  'wallet.tenants_with_due_presentations',
  `from wallet_presentation where ${due('$1')}`,
)
