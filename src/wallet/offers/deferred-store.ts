import type { UserId } from '../../caller.ts'
import { awaitJob, hasExpired, isFreeForJob, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'

/**
 * A credential that is still to come. `sealedWork`: what is needed to fetch it. `deliveryId`: the delivery it belongs
 * to, if any.
 */
export type DeferredRow = {
  readonly id: string
  readonly userId: UserId
  readonly deliveryId: string | null
  readonly sealedWork: Buffer
}

/** A deleted or held row, and the delivery that has to be settled. */
type EndedOrder = Pick<DeferredRow, 'deliveryId'>

/** A job run or a call that holds the lease of the row. */
export type DeferredRun = Pick<DeferredRow, 'id'> & Pick<Lease, 'claim'>

/**
 * `offerHash`: digest of the offer by which a repeated call finds the row; null: none does. `lease`: of the call, or of
 * the row itself if a job fetches it.
 */
type NewDeferred = DeferredRow & { readonly offerHash: string | null; readonly lease: Lease }

const awaitOne = `update wallet_delivery set awaited = awaited + 1, sealed_parcel = null, ${RELEASE}, error = null,
       status = case when status = 'failed' then 'delivering' else status end`
const ROW = `id, user_id as "userId", delivery_id as "deliveryId", sealed_work as "sealedWork"`
const MINE = `tenant_id = $1 and id = $2 and ${isHeld('$3')}`

// All may run twice, if the answer of the first run was lost. The delivery is locked first: a second run waits, and
// then finds the row.
const lockDelivery = sql(
  'wallet.lock_delivery',
  'select id from wallet_delivery where tenant_id = $1 and id = $2 for update',
)
const insertStatement = sql(
  'wallet.insert_deferred',
  `insert into wallet_deferred (tenant_id, id, user_id, sealed_work, claim, lease_until, drop_at, created_at, delivery_id, offer_hash)
   values (:tenantId, :id, :userId, :sealedWork, :claim, :leaseUntil, :dropAt, :now, :deliveryId, :offerHash)
     on conflict (tenant_id, id) do nothing`,
)
const awaitInserted = sql(
  'wallet.await_deferred',
  `${awaitOne} where tenant_id = $1 and id = $2
     and not exists (select from wallet_deferred d where d.tenant_id = $1 and d.id = $3)`,
)
const claimStatement = sql(
  'wallet.claim_deferred',
  `update wallet_deferred set ${take('$3', '$4')} where tenant_id = $1 and id = $2 and ${isFreeForJob('$5')} returning ${ROW}`,
)
const findStatement = sql('wallet.find_deferred', 'select id from wallet_deferred where tenant_id = $1 and id = $2')
const resumeStatement = sql(
  'wallet.resume_offer',
  `with mine as (
     select id, delivery_id from wallet_deferred
     where tenant_id = $1 and user_id = $2 and offer_hash = $3 and (delivery_id is null or delivery_id = coalesce($4, delivery_id))
       and ${isFreeForJob('$5')}
     order by id limit 1 for update
   ), awaiting as (
     ${awaitOne} where tenant_id = $1 and id = $4 and exists (select from mine where delivery_id is null)
   ), taken as (
     update wallet_deferred d set ${take('$6', '$7')}, delivery_id = coalesce($4, d.delivery_id)
     from mine where d.tenant_id = $1 and d.id = mine.id
     returning d.id, d.user_id, d.delivery_id, d.sealed_work
   )
   select ${ROW} from taken`,
)
const isOrderedStatement = sql(
  'wallet.is_ordered',
  'select id from wallet_deferred where tenant_id = $1 and user_id = $2 and offer_hash = $3 limit 1',
)
const saveStatement = sql('wallet.save_deferred', `update wallet_deferred set sealed_work = $4 where ${MINE}`)
const releaseStatement = sql(
  'wallet.release_deferred',
  `update wallet_deferred set ${awaitJob('$5')}, sealed_work = $4 where ${MINE} returning id`,
)
const holdStatement = sql(
  'wallet.hold_deferred',
  `with mine as (select id, delivery_id from wallet_deferred where ${MINE} for update)
   update wallet_deferred d set ${RELEASE}, sealed_work = $4, offer_hash = $5, drop_at = d.created_at + $6 * interval '1 second', delivery_id = null
   from mine where d.tenant_id = $1 and d.id = mine.id returning mine.delivery_id as "deliveryId"`,
)
const deleteStatement = sql(
  'wallet.delete_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 returning delivery_id as "deliveryId"',
)
const abandonStatement = sql(
  'wallet.abandon_deferred',
  `delete from wallet_deferred where ${MINE} returning delivery_id as "deliveryId"`,
)
const requeueStatement = sql(
  'wallet.requeue_deferred',
  `update wallet_deferred set ${awaitJob('$3')} where tenant_id = $1 and id in (
     select id from wallet_deferred where tenant_id = $1 and ${hasExpired('$2')} order by lease_until limit $4) returning id`,
)
const deleteDue = sql(
  'wallet.delete_due_deferred',
  'delete from wallet_deferred where tenant_id = $1 and drop_at <= $2 returning delivery_id as "deliveryId"',
)

/** Stores a credential that is being requested, or is to be fetched later. From then on this row ends its delivery. */
export async function insertDeferred(
  tx: TenantTx,
  { id, userId, sealedWork, deliveryId, offerHash, lease }: NewDeferred,
  { dropAt, now }: { readonly dropAt: Date; readonly now: Date },
): Promise<void> {
  const { claim, leaseUntil } = lease
  const values = {
    tenantId: tx.tenantId,
    id,
    userId,
    sealedWork,
    claim,
    leaseUntil,
    dropAt,
    now,
    deliveryId,
    offerHash,
  }
  if (deliveryId === null) return void (await tx.rows(insertStatement, values))
  await tx.rows(
    lockDelivery,
    [tx.tenantId, deliveryId],
    [
      { statement: awaitInserted, values: [tx.tenantId, deliveryId, id] },
      { statement: insertStatement, values },
    ],
  )
}

/**
 * Leases a row for a run of the job. One statement, so of two runs one gets it.
 *
 * @returns null if the row is gone or leased.
 */
export async function claimDeferred(
  tx: TenantTx,
  id: string,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<DeferredRow | null> {
  return (await tx.rows<DeferredRow>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now]))[0] ?? null
}

/** Returns whether the credential is still to come. */
export async function isDeferred(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(findStatement, [tx.tenantId, id])).length > 0
}

/**
 * Leases the order that an offer of this user has led to, for a call that repeats the offer, and binds it to the
 * delivery of that call. One statement, so of two calls one gets it. An order of another delivery is not taken.
 *
 * @returns null if there is none, or it is leased.
 */
export async function claimOrderOf(
  tx: TenantTx,
  { userId, deliveryId }: Pick<DeferredRow, 'userId' | 'deliveryId'>,
  offerHash: string,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<DeferredRow | null> {
  const values = [tx.tenantId, userId, offerHash, deliveryId, now, claim, leaseUntil]
  return (await tx.rows<DeferredRow>(resumeStatement, values))[0] ?? null
}

/** Returns whether an offer of this user has led to an order that is not over. */
export async function isOrdered(tx: TenantTx, userId: UserId, offerHash: string): Promise<boolean> {
  return (await tx.rows(isOrderedStatement, [tx.tenantId, userId, offerHash])).length > 0
}

/** Saves the progress of an order. The lease stays. */
export async function saveDeferred(tx: TenantTx, { id, claim }: DeferredRun, sealedWork: Buffer): Promise<void> {
  await tx.rows(saveStatement, [tx.tenantId, id, claim, sealedWork])
}

/**
 * Saves the progress of an order and releases it to its job.
 *
 * @param checkAt From then on a sweep looks whether there is a job.
 * @returns whether the row was still held.
 */
export async function releaseOrder(
  tx: TenantTx,
  { id, claim }: DeferredRun,
  sealedWork: Buffer,
  checkAt: Date,
): Promise<boolean> {
  return (await tx.rows(releaseStatement, [tx.tenantId, id, claim, sealedWork, checkAt])).length > 0
}

/**
 * Keeps a row until the holder repeats the same offer: no job fetches it, and its delivery is over.
 *
 * @param keptSeconds Counted from its creation.
 * @returns the delivery to settle; null if another run has taken the row over.
 */
export async function holdDeferred(
  tx: TenantTx,
  { id, claim }: DeferredRun,
  { sealedWork, offerHash, keptSeconds }: { sealedWork: Buffer; offerHash: string; keptSeconds: number },
): Promise<EndedOrder | null> {
  return (
    (await tx.rows<EndedOrder>(holdStatement, [tx.tenantId, id, claim, sealedWork, offerHash, keptSeconds]))[0] ?? null
  )
}

/**
 * Deletes an order whose credential was received, with its keys and its token. The lease is not checked, since a
 * received credential must not be lost; of two runs that received it, one deletes the row and stores the credential.
 *
 * @returns the delivery to settle; null if the row is gone.
 */
export async function deleteDeferred(tx: TenantTx, id: string): Promise<EndedOrder | null> {
  return (await tx.rows<EndedOrder>(deleteStatement, [tx.tenantId, id]))[0] ?? null
}

/**
 * Deletes an order that its issuer refused.
 *
 * @returns the delivery to settle; null if another run has taken the row over.
 */
export async function abandonDeferred(tx: TenantTx, { id, claim }: DeferredRun): Promise<EndedOrder | null> {
  return (await tx.rows<EndedOrder>(abandonStatement, [tx.tenantId, id, claim]))[0] ?? null
}

/**
 * Releases rows whose lease has expired, or that await a job which may be lost.
 *
 * @param checkAt When the sweep looks for the job again.
 * @returns the ids of the rows, at most `limit`; the caller enqueues the missing jobs in the same transaction.
 */
export async function requeueExpiredOrders(tx: TenantTx, now: Date, checkAt: Date, limit: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(requeueStatement, [tx.tenantId, now, checkAt, limit])).map(({ id }) => id)
}

/** Lists tenants that have orders with an expired lease, or without a job in time. */
export const listTenantsWithExpiredOrders = tenantsWith(
  'wallet.tenants_with_expired_orders',
  `from wallet_deferred where ${hasExpired('$1')}`,
  'lease_until',
)

/** Deletes the orders whose time is over. @returns the delivery of each. */
export async function deleteDueDeferred(tx: TenantTx, now: Date): Promise<EndedOrder[]> {
  return tx.rows<EndedOrder>(deleteDue, [tx.tenantId, now])
}

/** Lists tenants that have orders whose time is over. */
export const listTenantsWithDueDeferred = tenantsWith(
  'wallet.tenants_with_due_deferred',
  'from wallet_deferred where drop_at <= $1',
)
