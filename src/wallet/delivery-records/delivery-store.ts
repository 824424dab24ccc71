import type { DeliveryKind, DeliveryStatus } from '../../contract/wallet/deliveries.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { awaitJob, hasExpired, isFreeForJob, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { DeliveryError, WalletDelivery } from './delivery.ts'

/** A delivery with the sealed identifier of its recipient. */
export type SealedDelivery = WalletDelivery & { readonly sealedRecipient: Buffer }

/** A delivery that a call or a job run has leased. */
export type ClaimedWalletDelivery = SealedDelivery & { readonly claim: string; readonly sealedPayload: Buffer }

/** A new delivery, leased by the call that creates it. */
type NewDelivery = Lease &
  Pick<WalletDelivery, 'id' | 'userId' | 'kind' | 'identifierType' | 'issuanceId' | 'presentationId'> & {
    readonly sealedRecipient: Buffer
    readonly sealedPayload: Buffer
  }

/** A call or a job run that holds the lease of a delivery. */
export type DeliveryRun = Pick<ClaimedWalletDelivery, 'id' | 'claim'>

const COLUMNS = `id, user_id as "userId", kind, status, identifier_type as "identifierType", sealed_recipient as "sealedRecipient",
  issuance_id as "issuanceId", credential_ids as "credentialIds", presentation_id as "presentationId", error,
  created_at as "createdAt", updated_at as "updatedAt"`
const NOT_ORDERED = 'sealed_parcel is not null'
/** Only while nothing is ordered: then the payload is there. */
const CLAIMED = `${COLUMNS}, claim, sealed_parcel as "sealedPayload"`

const insertStatement = sql(
  'wallet.insert_delivery',
  `insert into wallet_delivery (tenant_id, id, user_id, kind, status, identifier_type, sealed_recipient, sealed_parcel,
     claim, lease_until, issuance_id, presentation_id, created_at, updated_at)
   values (:tenantId, :id, :userId, :kind, 'delivering', :identifierType, :sealedRecipient, :sealedPayload, :claim,
     :leaseUntil, :issuanceId, :presentationId, :now, :now)`,
)
const findStatement = sql(
  'wallet.find_delivery',
  `select ${COLUMNS} from wallet_delivery where tenant_id = $1 and id = $2`,
)
const claimStatement = sql(
  'wallet.claim_delivery',
  `update wallet_delivery set ${take('$3', '$4')}
   where tenant_id = $1 and id = $2 and ${NOT_ORDERED} and ${isFreeForJob('$5')} returning ${CLAIMED}`,
)
const takeOverStatement = sql(
  'wallet.take_over_delivery',
  `update wallet_delivery set ${take('$3', '$4')}, status = 'delivering', error = null, updated_at = $6,
     sealed_parcel = coalesce(sealed_parcel, $5)
   where tenant_id = $1 and id = $2 and (${NOT_ORDERED} or (status = 'failed' and $5::bytea is not null)) returning ${CLAIMED}`,
)
const releaseStatement = sql(
  'wallet.release_delivery',
  `update wallet_delivery set ${awaitJob('$4')} where tenant_id = $1 and id = $2 and ${isHeld('$3')} returning id`,
)
const failStatement = sql(
  'wallet.fail_delivery',
  `update wallet_delivery set status = 'failed', error = $4::jsonb, sealed_parcel = null, ${RELEASE}, updated_at = $5
   where tenant_id = $1 and id = $2 and ${isHeld('$3')}
   returning id`,
)
const endStatement = sql(
  'wallet.end_delivery',
  `update wallet_delivery set status = 'delivered', error = null, sealed_parcel = null, ${RELEASE}, updated_at = $3
   where tenant_id = $1 and id = $2 and kind = 'presentation' and status <> 'delivered' returning ${COLUMNS}`,
)
// Concurrent orders of one delivery: each update sees the count that the others left, so the last one ends the
// delivery.
const settleStatement = sql(
  'wallet.settle_delivery',
  `update wallet_delivery set awaited = awaited - 1, credential_ids = credential_ids || $3::uuid[], error = coalesce($4::jsonb, error),
     status = case when awaited > 1 then 'deferred' when cardinality(credential_ids || $3::uuid[]) > 0 then 'delivered' else 'failed' end,
     updated_at = $5
   where tenant_id = $1 and id = $2 and awaited > 0 returning ${COLUMNS}`,
)
const countFailedStatement = sql(
  'wallet.count_failed_deliveries',
  `select count(*)::int as count from wallet_delivery where tenant_id = $1 and status = 'failed' and id > $2`,
)
const requeueStatement = sql(
  'wallet.requeue_deliveries',
  `update wallet_delivery set ${awaitJob('$3')} where tenant_id = $1 and id in (
     select id from wallet_delivery where tenant_id = $1 and ${hasExpired('$2')} order by lease_until limit $4) returning id`,
)
const page = pagedList({
  name: 'wallet.deliveries',
  select: `select ${COLUMNS} from wallet_delivery where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: {
    status: (value) => `status = ${value}`,
    kind: (value) => `kind = ${value}`,
    userId: (value) => `user_id = ${value}`,
    issuanceId: (value) => `issuance_id = ${value}`,
  },
  indexed: [['issuanceId'], ['userId'], ['status'], ['kind']],
})

/** Inserts a delivery with its audit entry. Fails if the id is taken. */
export async function insertDelivery(tx: TenantTx, made: NewDelivery, entry: AuditEntry, now: Date): Promise<void> {
  const { id, userId, kind, identifierType, sealedRecipient, sealedPayload, claim, leaseUntil } = made
  const values = {
    tenantId: tx.tenantId,
    id,
    userId,
    kind,
    identifierType,
    sealedRecipient,
    sealedPayload,
    claim,
    leaseUntil,
    issuanceId: made.issuanceId,
    presentationId: made.presentationId,
    now,
  }
  await tx.rows(insertStatement, values, [auditStep(tx, entry, now)])
}

/** Returns one delivery of the tenant, or null. */
export async function findDelivery(tx: TenantTx, id: string): Promise<SealedDelivery | null> {
  return (await tx.rows<SealedDelivery>(findStatement, [tx.tenantId, id]))[0] ?? null
}

/** The filters of a list of deliveries; undefined matches all. */
type WalletDeliveryFilter = {
  readonly status?: DeliveryStatus | undefined
  readonly kind?: DeliveryKind | undefined
  readonly userId?: string | undefined
  readonly issuanceId?: string | undefined
}

/** Returns one page, and one row more if there is a next page. */
export async function listDeliveries(
  tx: TenantTx,
  list: PageRequest,
  filter: WalletDeliveryFilter,
): Promise<SealedDelivery[]> {
  return page<SealedDelivery>(tx, list, [tx.tenantId], filter)
}

/**
 * Leases a delivery of which nothing is ordered. One statement, so of two runs one gets it.
 *
 * @returns null if it is ordered, ended or leased.
 */
export async function claimDelivery(
  tx: TenantTx,
  id: string,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<ClaimedWalletDelivery | null> {
  return (await tx.rows<ClaimedWalletDelivery>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now]))[0] ?? null
}

/**
 * Takes over the lease of a delivery, or restarts one that has failed, for a repetition of the request that created it.
 *
 * @param sealedPayload Stored where the row has none any more; null: a failed delivery stays failed.
 * @returns null if there is none, or it is ordered or ended.
 */
export async function takeOverDelivery(
  tx: TenantTx,
  id: string,
  { claim, leaseUntil }: Lease,
  sealedPayload: Buffer | null,
  now: Date,
): Promise<ClaimedWalletDelivery | null> {
  const values = [tx.tenantId, id, claim, leaseUntil, sealedPayload, now]
  return (await tx.rows<ClaimedWalletDelivery>(takeOverStatement, values))[0] ?? null
}

/** Releases the lease of a delivery; the caller sees to a job for it. @returns whether it was still held */
export async function releaseDelivery(tx: TenantTx, { id, claim }: DeliveryRun, checkAt: Date): Promise<boolean> {
  return (await tx.rows(releaseStatement, [tx.tenantId, id, claim, checkAt])).length > 0
}

/** Ends a delivery of which nothing was ordered as failed. Does nothing if the lease was taken over. */
export async function failDelivery(
  tx: TenantTx,
  { id, claim }: DeliveryRun,
  error: DeliveryError,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const values = [tx.tenantId, id, claim, JSON.stringify(error), now]
  await recordChange(tx, failStatement, [...values], entry, now)
}

/** Ends the delivery of a presentation that this transaction has inserted. @returns null if it had ended. */
export async function endPresentationDelivery(tx: TenantTx, id: string, now: Date): Promise<WalletDelivery | null> {
  return (await tx.rows<SealedDelivery>(endStatement, [tx.tenantId, id, now]))[0] ?? null
}

/** Records in a delivery that one of its rows in `wallet_deferred` has ended, and with which outcome. */
export async function settleDelivery(
  tx: TenantTx,
  id: string,
  outcome: { readonly credentialIds: readonly string[]; readonly error: DeliveryError | null },
  now: Date,
): Promise<WalletDelivery | null> {
  const error = outcome.error === null ? null : JSON.stringify(outcome.error)
  return (
    (await tx.rows<SealedDelivery>(settleStatement, [tx.tenantId, id, outcome.credentialIds, error, now]))[0] ?? null
  )
}

/**
 * Releases deliveries whose lease has expired, or that await a job which may be lost.
 *
 * @param checkAt When the sweep looks for the job again.
 * @returns the ids of the deliveries, at most `limit`; the caller enqueues the missing jobs in the same transaction.
 */
export async function requeueExpiredDeliveries(
  tx: TenantTx,
  now: Date,
  checkAt: Date,
  limit: number,
): Promise<string[]> {
  return (await tx.rows<{ id: string }>(requeueStatement, [tx.tenantId, now, checkAt, limit])).map(({ id }) => id)
}

/** Lists tenants that have deliveries with an expired lease, or without a job in time. */
export const listTenantsWithExpiredDeliveries = tenantsWith(
  'wallet.tenants_with_expired_deliveries',
  `from wallet_delivery where ${hasExpired('$1')}`,
  'lease_until',
)

/** Counts the failed deliveries with an id after this one. */
export async function countFailedDeliveries(tx: TenantTx, after: string): Promise<number> {
  return (await tx.rows<{ count: number }>(countFailedStatement, [tx.tenantId, after]))[0]?.count ?? 0
}
