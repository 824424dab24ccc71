import type { TenantId, UserId } from '../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

/** A credential that is still to come. `sealedWork`: what is needed to fetch it. `deliveryId`: what it is fetched for, if not for its holder. */
export type DeferredRow = {
  readonly id: string
  readonly userId: UserId
  readonly deliveryId: string | null
  readonly sealedWork: Buffer
}

/** A row that is no more, and the delivery that has to hear of it. */
export type Gone = Pick<DeferredRow, 'deliveryId'>
type GoneRow = { delivery_id: string | null }

/** A run of the job that may give the row up. */
export type DeferredRun = Pick<DeferredRow, 'id'> & { readonly claim: string }

const insertStatement = sql(
  'wallet.insert_deferred',
  `with counted as (
     update wallet_delivery set awaited = awaited + 1, sealed_parcel = null, claim = null, lease_until = null, error = null,
       status = case when status = 'failed' then 'delivering' else status end
     where tenant_id = $1 and id = $8
   )
   insert into wallet_deferred (tenant_id, id, user_id, sealed_work, asked_until, drop_at, created_at, delivery_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const claimStatement = sql(
  'wallet.claim_deferred',
  `update wallet_deferred set claim = $3, claimed_at = $4
   where tenant_id = $1 and id = $2 and asked_until is null and (claim is null or claimed_at <= $5)
   returning id, user_id, delivery_id, sealed_work`,
)
const findStatement = sql('wallet.find_deferred', 'select id from wallet_deferred where tenant_id = $1 and id = $2')
const releaseStatement = sql(
  'wallet.release_deferred',
  `update wallet_deferred set claim = null, claimed_at = null, sealed_work = $4
   where tenant_id = $1 and id = $2 and claim = $3 returning id`,
)
const deleteStatement = sql(
  'wallet.delete_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 returning delivery_id',
)
const giveUpClaimed = sql(
  'wallet.give_up_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 and claim = $3 returning delivery_id',
)
const giveUpAsked = sql(
  'wallet.give_up_asked',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 and asked_until is not null returning delivery_id',
)
const passOnStatement = sql(
  'wallet.pass_on_deferred',
  `update wallet_deferred set asked_until = null where tenant_id = $1 and asked_until <= $2 returning id`,
)
const tenantsLeft = sql(
  'wallet.tenants_with_left_orders',
  'select distinct tenant_id from wallet_deferred where asked_until <= $1 limit 500',
)
const deleteDue = sql(
  'wallet.delete_due_deferred',
  'delete from wallet_deferred where tenant_id = $1 and drop_at <= $2 returning delivery_id',
)
const tenantsDue = sql(
  'wallet.tenants_with_due_deferred',
  'select distinct tenant_id from wallet_deferred where drop_at <= $1 limit 500',
)

/** Until when a row stands by itself. `askedUntil`: until then whoever made it is at work on it; null: a job is. */
export type DeferredTimes = { readonly askedUntil: Date | null; readonly dropAt: Date; readonly now: Date }

/** Remembers a credential that is being asked for, or is to be fetched later. From then on it is what brings its delivery to an end. */
export async function insertDeferred(
  tx: TenantTx,
  { id, userId, sealedWork, deliveryId }: DeferredRow,
  { askedUntil, dropAt, now }: DeferredTimes,
): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, id, userId, sealedWork, askedUntil, dropAt, now, deliveryId])
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
  type Row = { id: string; user_id: UserId; delivery_id: string | null; sealed_work: Buffer }
  const [row] = await tx.rows<Row>(claimStatement, [tx.tenantId, id, claim, now, staleAt])
  if (row === undefined) return null
  return { id: row.id, userId: row.user_id, deliveryId: row.delivery_id, sealedWork: row.sealed_work }
}

/** Whether it is still to come. */
export async function isDeferred(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(findStatement, [tx.tenantId, id])).length > 0
}

/** Lets go of a row for a later run, with what is known by now. @returns whether it was still ours. */
export async function releaseDeferred(tx: TenantTx, { id, claim }: DeferredRun, sealedWork: Buffer): Promise<boolean> {
  return (await tx.rows(releaseStatement, [tx.tenantId, id, claim, sealedWork])).length > 0
}

/**
 * Ends it because its credential is there, with its keys and its token. Of two that bring the credential one is told so, whoever has the
 * row: a credential in hand is worth more than a claim.
 *
 * @returns what it was for; null if it was not there.
 */
export async function deleteDeferred(tx: TenantTx, id: string): Promise<Gone | null> {
  return goneOf(await tx.rows<GoneRow>(deleteStatement, [tx.tenantId, id]))
}

/** Gives it up as the run that has it. @returns what it was for; null if another has taken it over. */
export async function giveUpDeferred(tx: TenantTx, { id, claim }: DeferredRun): Promise<Gone | null> {
  return goneOf(await tx.rows<GoneRow>(giveUpClaimed, [tx.tenantId, id, claim]))
}

/** Gives it up as the call that made it. @returns what it was for; null if a job has taken it over. */
export async function giveUpOrder(tx: TenantTx, id: string): Promise<Gone | null> {
  return goneOf(await tx.rows<GoneRow>(giveUpAsked, [tx.tenantId, id]))
}

/** Takes over what calls left that died. @returns the rows, each of which wants a job in the same transaction. */
export async function passOnOrders(tx: TenantTx, now: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(passOnStatement, [tx.tenantId, now])).map(({ id }) => id)
}

/** The tenants with something that a call left. */
export async function listTenantsWithLeftOrders(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenant_id: TenantId }>(tenantsLeft, [now])).map((row) => row.tenant_id)
}

/** Gives up what never came. @returns what each was for. */
export async function deleteDueDeferred(tx: TenantTx, now: Date): Promise<Gone[]> {
  return (await tx.rows<GoneRow>(deleteDue, [tx.tenantId, now])).map(asGone)
}

function goneOf([row]: GoneRow[]): Gone | null {
  return row === undefined ? null : asGone(row)
}

function asGone({ delivery_id: deliveryId }: GoneRow): Gone {
  return { deliveryId }
}

/** The tenants with something to give up. */
export async function listTenantsWithDueDeferred(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenant_id: TenantId }>(tenantsDue, [now])).map((row) => row.tenant_id)
}
