import type { TenantId, UserId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** A credential that is still to come. `sealedWork`: what is needed to fetch it. `deliveryId`: what it is fetched for, if not for its holder. */
export type DeferredRow = {
  readonly id: string
  readonly userId: UserId
  readonly deliveryId: string | null
  readonly sealedWork: Buffer
}

/** A row that is no more, and the delivery that has to hear of it. */
export type EndedOrder = Pick<DeferredRow, 'deliveryId'>

/** A run of the job, or a call, that has the row. Only the claim under which it was taken changes or ends it. */
export type DeferredRun = Pick<DeferredRow, 'id'> & { readonly claim: string }

/** A call that takes a row. `askedUntil`: from then on it is taken for dead. */
export type AskedClaim = { readonly claim: string; readonly askedUntil: Date; readonly now: Date }

/** `offerHash` is that of the offer whose repetition finds the row; null: none does. `asked`: null: a job fetches it. */
export type NewDeferred = DeferredRow & { readonly offerHash: string | null; readonly asked: AskedClaim | null }

const awaitOne = `update wallet_delivery set awaited = awaited + 1, sealed_parcel = null, claim = null, lease_until = null, error = null,
       status = case when status = 'failed' then 'delivering' else status end`
const ROW = `id, user_id as "userId", delivery_id as "deliveryId", sealed_work as "sealedWork"`
const FREE = 'set claim = null, claimed_at = null, asked_until = null'

// The same row may be inserted twice, should the answer of the first statement have been lost.
const insertStatement = sql(
  'wallet.insert_deferred',
  `with ins as (
     insert into wallet_deferred (tenant_id, id, user_id, sealed_work, claim, claimed_at, asked_until, drop_at, created_at, delivery_id, offer_hash)
     values ($1, $2, $3, $4, $5, case when $5::uuid is null then null else $8::timestamptz end, $6, $7, $8, $9, $10)
     on conflict (tenant_id, id) do nothing returning delivery_id
   )
   ${awaitOne} where tenant_id = $1 and id in (select delivery_id from ins)`,
)
const claimStatement = sql(
  'wallet.claim_deferred',
  `update wallet_deferred set claim = $3, claimed_at = $4
   where tenant_id = $1 and id = $2 and asked_until is null and (claim is null or claimed_at <= $5) returning ${ROW}`,
)
const findStatement = sql('wallet.find_deferred', 'select id from wallet_deferred where tenant_id = $1 and id = $2')
const resumeStatement = sql(
  'wallet.resume_offer',
  `with mine as (
     select id, delivery_id from wallet_deferred
     where tenant_id = $1 and user_id = $2 and offer_hash = $3 and (delivery_id is null or delivery_id = coalesce($4, delivery_id))
       and (asked_until <= $5 or (asked_until is null and (claim is null or claimed_at <= $6)))
     order by id limit 1 for update
   ), awaiting as (
     ${awaitOne} where tenant_id = $1 and id = $4 and exists (select from mine where delivery_id is null)
   )
   update wallet_deferred d set claim = $7, claimed_at = $5, asked_until = $8, delivery_id = coalesce($4, d.delivery_id)
   from mine where d.tenant_id = $1 and d.id = mine.id
   returning d.id, d.user_id as "userId", d.delivery_id as "deliveryId", d.sealed_work as "sealedWork"`,
)
const isOrderedStatement = sql(
  'wallet.is_ordered',
  'select id from wallet_deferred where tenant_id = $1 and user_id = $2 and offer_hash = $3 limit 1',
)
const saveStatement = sql(
  'wallet.save_deferred',
  'update wallet_deferred set sealed_work = $4 where tenant_id = $1 and id = $2 and claim = $3 returning id',
)
const releaseStatement = sql(
  'wallet.release_deferred',
  `update wallet_deferred ${FREE}, sealed_work = $4 where tenant_id = $1 and id = $2 and claim = $3 returning id`,
)
const holdStatement = sql(
  'wallet.hold_deferred',
  `with mine as (select id, delivery_id from wallet_deferred where tenant_id = $1 and id = $2 and claim = $3 for update)
   update wallet_deferred d ${FREE}, sealed_work = $4, offer_hash = $5, drop_at = d.created_at + $6 * interval '1 second', delivery_id = null
   from mine where d.tenant_id = $1 and d.id = mine.id returning mine.delivery_id as "deliveryId"`,
)
const deleteStatement = sql(
  'wallet.delete_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 returning delivery_id as "deliveryId"',
)
const giveUpStatement = sql(
  'wallet.give_up_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 and claim = $3 returning delivery_id as "deliveryId"',
)
const passOnStatement = sql(
  'wallet.pass_on_deferred',
  `update wallet_deferred ${FREE} where tenant_id = $1 and asked_until <= $2 returning id`,
)
const tenantsLeft = sql(
  'wallet.tenants_with_left_orders',
  'select distinct tenant_id as id from wallet_deferred where asked_until <= $1 limit 500',
)
const deleteDue = sql(
  'wallet.delete_due_deferred',
  'delete from wallet_deferred where tenant_id = $1 and drop_at <= $2 returning delivery_id as "deliveryId"',
)
const tenantsDue = sql(
  'wallet.tenants_with_due_deferred',
  'select distinct tenant_id as id from wallet_deferred where drop_at <= $1 limit 500',
)

/** Remembers a credential that is being asked for, or is to be fetched later. From then on it is what brings its delivery to an end. */
export async function insertDeferred(
  tx: TenantTx,
  { id, userId, sealedWork, deliveryId, offerHash, asked }: NewDeferred,
  { dropAt, now }: { readonly dropAt: Date; readonly now: Date },
): Promise<void> {
  const claimed = [asked?.claim ?? null, asked?.askedUntil ?? null]
  await tx.rows(insertStatement, [tx.tenantId, id, userId, sealedWork, ...claimed, dropAt, now, deliveryId, offerHash])
}

/**
 * Takes a row for a run of the job. One statement, so of two runs one gets it; one that was claimed before `staleAt` is free.
 *
 * @returns null if it is gone or not free.
 */
export async function claimDeferred(
  tx: TenantTx,
  { id, claim }: DeferredRun,
  { now, staleAt }: { readonly now: Date; readonly staleAt: Date },
): Promise<DeferredRow | null> {
  const [row] = await tx.rows<DeferredRow>(claimStatement, [tx.tenantId, id, claim, now, staleAt])
  return row ?? null
}

/** Whether it is still to come. */
export async function isDeferred(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(findStatement, [tx.tenantId, id])).length > 0
}

/**
 * Takes the order that an offer of this user has led to, for a call that repeats it, and ties it to the delivery of that call. One statement,
 * so of two calls one gets it. An order of another delivery is left to that one.
 *
 * @returns null if there is none, or it is not free.
 */
export async function claimOrderOf(
  tx: TenantTx,
  { userId, deliveryId }: Pick<DeferredRow, 'userId' | 'deliveryId'>,
  offerHash: string,
  { claim, askedUntil, now, staleAt }: AskedClaim & { readonly staleAt: Date },
): Promise<DeferredRow | null> {
  const values = [tx.tenantId, userId, offerHash, deliveryId, now, staleAt, claim, askedUntil]
  const [row] = await tx.rows<DeferredRow>(resumeStatement, values)
  return row ?? null
}

/** Whether an offer of this user has led to an order that is not over. */
export async function isOrdered(tx: TenantTx, userId: UserId, offerHash: string): Promise<boolean> {
  return (await tx.rows(isOrderedStatement, [tx.tenantId, userId, offerHash])).length > 0
}

/** Keeps what is known by now. The claim stays. */
export async function saveDeferred(tx: TenantTx, { id, claim }: DeferredRun, sealedWork: Buffer): Promise<void> {
  await tx.rows(saveStatement, [tx.tenantId, id, claim, sealedWork])
}

/** Releases the claim on a row for a later run, with what is known by now. @returns whether the claim still held. */
export async function releaseDeferred(tx: TenantTx, { id, claim }: DeferredRun, sealedWork: Buffer): Promise<boolean> {
  return (await tx.rows(releaseStatement, [tx.tenantId, id, claim, sealedWork])).length > 0
}

/**
 * Keeps a row for the holder to come back to, by the same offer: no job fetches it, and its delivery is over.
 *
 * @param keptSeconds Counted from when it was made.
 * @returns what it was for; null if another has taken it over.
 */
export async function holdDeferred(
  tx: TenantTx,
  { id, claim }: DeferredRun,
  { sealedWork, offerHash, keptSeconds }: { sealedWork: Buffer; offerHash: string; keptSeconds: number },
): Promise<EndedOrder | null> {
  const [gone] = await tx.rows<EndedOrder>(holdStatement, [tx.tenantId, id, claim, sealedWork, offerHash, keptSeconds])
  return gone ?? null
}

/**
 * Ends it because its credential is there, with its keys and its token. Of two that bring the credential one is told so, whichever has the
 * row: a credential in hand is worth more than a claim.
 *
 * @returns what it was for; null if it was not there.
 */
export async function deleteDeferred(tx: TenantTx, id: string): Promise<EndedOrder | null> {
  const [gone] = await tx.rows<EndedOrder>(deleteStatement, [tx.tenantId, id])
  return gone ?? null
}

/** Gives it up as the run or the call that has it. @returns what it was for; null if another has taken it over. */
export async function giveUpDeferred(tx: TenantTx, { id, claim }: DeferredRun): Promise<EndedOrder | null> {
  const [gone] = await tx.rows<EndedOrder>(giveUpStatement, [tx.tenantId, id, claim])
  return gone ?? null
}

/** Takes over what calls left that died. @returns the rows, each of which wants a job in the same transaction. */
export async function requeueExpiredOrders(tx: TenantTx, now: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(passOnStatement, [tx.tenantId, now])).map(({ id }) => id)
}

/** The tenants with something that a call left. */
export async function listTenantsWithExpiredOrders(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(tenantsLeft, [now])).map(({ id }) => id)
}

/** Gives up what never came. @returns what each was for. */
export async function deleteDueDeferred(tx: TenantTx, now: Date): Promise<EndedOrder[]> {
  return tx.rows<EndedOrder>(deleteDue, [tx.tenantId, now])
}

/** The tenants with something to give up. */
export async function listTenantsWithDueDeferred(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(tenantsDue, [now])).map(({ id }) => id)
}
