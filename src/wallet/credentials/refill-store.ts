import type { UserId } from '../../caller.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import { copySteps, type NewCopy } from './credential-store.ts'

/**
 * What is needed to get new copies of a credential. `sealedWork`: tokens and keys. `dropAt`: when it is deleted, used
 * or not.
 */
export type NewRefill = { readonly sealedWork: Buffer; readonly dropAt: Date }

/** A job run that holds the lease of a refill. `id`: that of the credential. */
export type RefillRun = { readonly id: string } & Pick<Lease, 'claim'>

/** A refill that a run has claimed. */
export type ClaimedRefill = Pick<NewRefill, 'sealedWork'> & { readonly id: string; readonly userId: UserId }

/** What is stored beside the new copies. */
type Replacement = {
  readonly copies: readonly NewCopy[]
  readonly issuedAt: Date
  readonly expiresAt: Date | null
  readonly remindAt: Date | null
  readonly updatedAt: Date
}

const MINE = `tenant_id = $1 and id = $2 and ${isHeld('$3')}`

const insertStatement = sql(
  'wallet.insert_refill',
  'insert into wallet_refill (tenant_id, id, sealed_work, drop_at) values ($1, $2, $3, $4)',
)
// A job that was given up after its last attempt does not block later ones.
const queueStatement = sql(
  'wallet.queue_refills',
  `update wallet_refill set queued_at = $3 where tenant_id = $1 and id = any($2::uuid[]) and drop_at > $3
     and (queued_at is null or queued_at <= $3::timestamptz - interval '1 day') returning id`,
)
const claimStatement = sql(
  'wallet.claim_refill',
  `update wallet_refill r set ${take('$3', '$4')} from wallet_credential c
   where r.tenant_id = $1 and r.id = $2 and ${isFree('$5', 'r')} and r.drop_at > $5 and c.tenant_id = $1 and c.id = r.id
     and c.status = 'accepted' and (c.expires_at is null or c.expires_at > $5)
     and not exists (select from wallet_credential_standing s where s.tenant_id = $1 and s.credential_id = r.id and s.standing <> 'valid')
   returning r.id, c.user_id as "userId", r.sealed_work as "sealedWork"`,
)
const isLeasedStatement = sql(
  'wallet.is_refill_leased',
  `select id from wallet_refill where tenant_id = $1 and id = $2 and not ${isFree('$3')}`,
)
const saveStatement = sql('wallet.save_refill', `update wallet_refill set sealed_work = $4 where ${MINE}`)
const releaseStatement = sql(
  'wallet.release_refill',
  `update wallet_refill set ${RELEASE}, sealed_work = $4 where ${MINE}`,
)
const endStatement = sql(
  'wallet.end_refill',
  `update wallet_refill set ${RELEASE}, sealed_work = $4, queued_at = null where ${MINE} returning id`,
)
const deleteStatement = sql('wallet.delete_refill', `delete from wallet_refill where ${MINE}`)
const deleteCopies = sql(
  'wallet.delete_copies',
  'delete from wallet_credential_copy where tenant_id = $1 and credential_id = $2',
)
const renewCredential = sql(
  'wallet.renew_credential',
  'update wallet_credential set issued_at = $3, expires_at = $4, updated_at = $5, remind_at = $6 where tenant_id = $1 and id = $2',
)
const deleteDue = sql('wallet.delete_due_refills', 'delete from wallet_refill where tenant_id = $1 and drop_at <= $2')

/** Stores what is needed to get new copies of a credential. */
export async function insertRefill(tx: TenantTx, credentialId: string, { sealedWork, dropAt }: NewRefill) {
  await tx.rows(insertStatement, [tx.tenantId, credentialId, sealedWork, dropAt])
}

/**
 * Marks refills as enqueued, each once.
 *
 * @returns the credentials for which the caller enqueues a job in the same transaction
 */
export async function queueRefills(tx: TenantTx, credentialIds: readonly string[], now: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(queueStatement, [tx.tenantId, credentialIds, now])).map(({ id }) => id)
}

/**
 * Leases a refill for a run of the job. One statement, so of two runs one gets it.
 *
 * @returns null if it is gone or leased, or the credential is not accepted and valid any more.
 */
export async function claimRefill(
  tx: TenantTx,
  id: string,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<ClaimedRefill | null> {
  return (await tx.rows<ClaimedRefill>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now]))[0] ?? null
}

/** Returns whether another run holds the lease. */
export async function isRefillLeased(tx: TenantTx, id: string, now: Date): Promise<boolean> {
  return (await tx.rows(isLeasedStatement, [tx.tenantId, id, now])).length > 0
}

/** Saves the progress of a run: new keys, or a renewed token. The lease stays. */
export async function saveRefill(tx: TenantTx, { id, claim }: RefillRun, sealedWork: Buffer): Promise<void> {
  await tx.rows(saveStatement, [tx.tenantId, id, claim, sealedWork])
}

/** Saves the progress of a run that failed, and releases its lease; the queue runs the job again. */
export async function releaseRefill(tx: TenantTx, { id, claim }: RefillRun, sealedWork: Buffer): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, id, claim, sealedWork])
}

/** Deletes a refill that the issuer refused, with its tokens and keys. */
export async function deleteRefill(tx: TenantTx, { id, claim }: RefillRun): Promise<void> {
  await tx.rows(deleteStatement, [tx.tenantId, id, claim])
}

/**
 * Replaces all copies of a credential, with their keys, by new ones, in the caller's transaction, and releases the
 * refill for the next time.
 *
 * @param sealedWork The tokens, without keys.
 * @returns false if another run has taken the refill over, or the credential is gone; then nothing is written.
 */
export async function replaceCopies(
  tx: TenantTx,
  { id, claim }: RefillRun,
  sealedWork: Buffer,
  { copies, issuedAt, expiresAt, remindAt, updatedAt }: Replacement,
): Promise<boolean> {
  if ((await tx.rows(endStatement, [tx.tenantId, id, claim, sealedWork])).length === 0) return false
  const renewed = { statement: renewCredential, values: [tx.tenantId, id, issuedAt, expiresAt, updatedAt, remindAt] }
  await tx.rows(deleteCopies, [tx.tenantId, id], [renewed, ...copySteps(tx, id, copies)])
  return true
}

/** Deletes the refills of the tenant whose time is over. */
export async function deleteDueRefills(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(deleteDue, [tx.tenantId, now])
}

/** Lists tenants that have refills whose time is over. */
export const listTenantsWithDueRefills = tenantsWith(
  'wallet.tenants_with_due_refills',
  'from wallet_refill where drop_at <= $1',
)
