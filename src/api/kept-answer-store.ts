import { isFree, isHeld, type Lease, RELEASE } from '../store/lease.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

/** The state of an idempotency key for a request that sends it. */
export type KeyState =
  /** This attempt has claimed the key. */
  | { readonly state: 'ours'; readonly startedAt: Date; readonly isRepeated: boolean }
  /** The tenant has reached its quota. */
  | { readonly state: 'full' }
  /** The key belongs to another request. */
  | { readonly state: 'other' }
  /** Another attempt has claimed the key. */
  | { readonly state: 'busy' }
  /** `sealed` is null if the answer was too large to keep. */
  | { readonly state: 'answered'; readonly sealed: Buffer | null }

/** One attempt to process the request of a key. */
export type AttemptRow = Lease & {
  /** Whether a new key may be inserted. */
  readonly isAdmitted: boolean
  readonly keyHash: Buffer
  readonly requestHash: Buffer
  readonly expiresAt: Date
}

type Row = {
  found: 'ours' | 'seen'
  started_at: Date
  attempts: number
  request_hash: Buffer
  answered_at: Date | null
  sealed_answer: Buffer | null
}

const takeKey = sql(
  'api.take_kept_key',
  `with taken as (
     insert into kept_answer as old (tenant_id, key_hash, request_hash, claim, lease_until, started_at, expires_at)
     select $1, $2::bytea, $3::bytea, $4::uuid, $5::timestamptz, $6::timestamptz, $7::timestamptz
     where $8 or exists (select from kept_answer where tenant_id = $1 and key_hash = $2)
     on conflict (tenant_id, key_hash) do update set request_hash = excluded.request_hash, claim = excluded.claim,
       lease_until = excluded.lease_until, expires_at = excluded.expires_at, answered_at = null, sealed_answer = null,
       started_at = case when old.expires_at <= $6 then excluded.started_at else old.started_at end,
       attempts = case when old.expires_at <= $6 then 1 else old.attempts + 1 end
     where old.expires_at <= $6 or (old.answered_at is null and ${isFree('$6', 'old')} and old.request_hash = $3)
     returning old.started_at, old.attempts, old.request_hash
   )
   select 'ours' as found, started_at, attempts, request_hash, null::timestamptz as answered_at, null::bytea as sealed_answer
   from taken
   union all
   select 'seen', started_at, attempts, request_hash, answered_at, sealed_answer from kept_answer
   where tenant_id = $1 and key_hash = $2 and not exists (select from taken)`,
)
const mine = `tenant_id = $1 and key_hash = $2 and ${isHeld('$3')}`
const renewLease = sql('api.renew_kept_key', `update kept_answer set lease_until = $4 where ${mine}`)
const keepAnswer = sql(
  'api.insert_kept_answer',
  `update kept_answer set sealed_answer = $4, answered_at = $5, expires_at = $6, ${RELEASE} where ${mine}`,
)
const dropKey = sql('api.delete_kept_key', `delete from kept_answer where ${mine}`)
const endLease = sql('api.expire_kept_key', `update kept_answer set ${RELEASE} where ${mine}`)
const countKept = sql(
  'api.count_kept_answers',
  `select count(*)::int as keys, coalesce(sum(octet_length(sealed_answer)), 0)::float8 as bytes from kept_answer where tenant_id = $1`,
)
const deleteExpired = sql(
  'api.delete_expired_answers',
  `delete from kept_answer where (tenant_id, key_hash) in (
     select tenant_id, key_hash from kept_answer where expires_at <= $1 limit $2)
   returning 1 as gone`,
)

/**
 * Claims the key for an attempt, or returns its state. It is one statement, so one of several concurrent requests gets
 * the key. A key whose lease has expired is taken over by the same request only.
 */
export async function takeKeptKey(tx: TenantTx, attempt: AttemptRow, now: Date): Promise<KeyState> {
  const { keyHash, requestHash, claim, leaseUntil, expiresAt, isAdmitted } = attempt
  const values = [tx.tenantId, keyHash, requestHash, claim, leaseUntil, now, expiresAt, isAdmitted]
  const [row] = await tx.rows<Row>(takeKey, values)
  // A concurrent request has inserted the key, and the row is not visible to this statement yet.
  if (row === undefined) return { state: isAdmitted ? 'busy' : 'full' }
  if (row.found === 'ours') return { state: 'ours', startedAt: row.started_at, isRepeated: row.attempts > 1 }
  if (!row.request_hash.equals(requestHash)) return { state: 'other' }
  return row.answered_at === null ? { state: 'busy' } : { state: 'answered', sealed: row.sealed_answer }
}

type HeldKey = Pick<AttemptRow, 'keyHash' | 'claim'>

/** Renews the lease of an attempt. Does nothing if it was taken over. */
export async function renewKeptKey(tx: TenantTx, { keyHash, claim }: HeldKey, leaseUntil: Date): Promise<void> {
  await tx.rows(renewLease, [tx.tenantId, keyHash, claim, leaseUntil])
}

/** Keeps the answer of an attempt until `expiresAt`. Does nothing if it was taken over. */
export async function insertKeptAnswer(
  tx: TenantTx,
  { keyHash, claim }: HeldKey,
  sealed: Buffer | null,
  now: Date,
  expiresAt: Date,
): Promise<void> {
  await tx.rows(keepAnswer, [tx.tenantId, keyHash, claim, sealed, now, expiresAt])
}

/** Deletes the key, which then can be used by any request. */
export async function deleteKeptKey(tx: TenantTx, { keyHash, claim }: HeldKey): Promise<void> {
  await tx.rows(dropKey, [tx.tenantId, keyHash, claim])
}

/** Releases the key for the next attempt of the same request. */
export async function expireKeptKey(tx: TenantTx, { keyHash, claim }: HeldKey): Promise<void> {
  await tx.rows(endLease, [tx.tenantId, keyHash, claim])
}

/** Keys and bytes of sealed answers. */
export type AnswersKept = { readonly keys: number; readonly bytes: number }

/** Counts what the tenant of the transaction has kept. Reads every row of the tenant. */
export async function countKeptAnswers(tx: TenantTx): Promise<AnswersKept> {
  const [row] = await tx.rows<AnswersKept>(countKept, [tx.tenantId])
  return row ?? { keys: 0, bytes: 0 }
}

/** Deletes expired answers, at most `limit`. Returns how many. */
export async function deleteExpiredAnswers(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [now, limit])).length
}
