import type { TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { DeliveryError, DeliveryKind, DeliveryStatus, WalletDelivery } from './delivery.ts'

/** A delivery with how its recipient was named, still sealed. */
export type SealedDelivery = WalletDelivery & { readonly sealedRecipient: Buffer }

/** A delivery that somebody is at work on. */
export type ClaimedWalletDelivery = SealedDelivery & { readonly claim: string; readonly sealedParcel: Buffer }

/** Which attempt at a delivery it is: nobody else's until `leaseUntil`. */
export type DeliveryClaim = { readonly id: string; readonly claim: string; readonly leaseUntil: Date }

/** A delivery that begins, and who is at work on it. */
export type NewDelivery = DeliveryClaim &
  Pick<WalletDelivery, 'userId' | 'kind' | 'identifierType' | 'issuanceId' | 'presentationId'> & {
    readonly sealedRecipient: Buffer
    readonly sealedParcel: Buffer
  }

const COLUMNS = `id, user_id as "userId", kind, status, identifier_type as "identifierType", sealed_recipient as "sealedRecipient",
  issuance_id as "issuanceId", credential_ids as "credentialIds", presentation_id as "presentationId", error,
  created_at as "createdAt", updated_at as "updatedAt"`
/** Only of one of which nothing is ordered yet: then the parcel is there. */
const CLAIMED = `${COLUMNS}, claim, sealed_parcel as "sealedParcel"`

const insertStatement = sql(
  'wallet.insert_delivery',
  `with ins as (
     insert into wallet_delivery (tenant_id, id, user_id, kind, status, identifier_type, sealed_recipient, sealed_parcel, claim, lease_until,
       issuance_id, presentation_id, created_at, updated_at)
     values ($1, $2, $3, $4, 'delivering', $5, $6, $7, $8, $9, $10, $11, $12, $12) returning id
   ), ${auditCte({ from: 'ins', first: 13 })}
   select id from ins`,
)
const findStatement = sql(
  'wallet.find_delivery',
  `select ${COLUMNS} from wallet_delivery where tenant_id = $1 and id = $2`,
)
const NOT_ORDERED = `sealed_parcel is not null`
const claimStatement = sql(
  'wallet.claim_delivery',
  `update wallet_delivery set claim = $3, lease_until = $4
   where tenant_id = $1 and id = $2 and ${NOT_ORDERED} and (claim is null or lease_until <= $5) returning ${CLAIMED}`,
)
const takeOverStatement = sql(
  'wallet.take_over_delivery',
  `update wallet_delivery set claim = $3, lease_until = $4, status = 'delivering', error = null, updated_at = $6,
     sealed_parcel = coalesce(sealed_parcel, $5)
   where tenant_id = $1 and id = $2 and (${NOT_ORDERED} or (status = 'failed' and $5::bytea is not null)) returning ${CLAIMED}`,
)
const releaseStatement = sql(
  'wallet.release_delivery',
  `update wallet_delivery set claim = null, lease_until = $4
   where tenant_id = $1 and id = $2 and claim = $3 and ${NOT_ORDERED}`,
)
const failStatement = sql(
  'wallet.fail_delivery',
  `with upd as (
     update wallet_delivery set status = 'failed', error = $4::jsonb, sealed_parcel = null, claim = null, lease_until = null, updated_at = $5
     where tenant_id = $1 and id = $2 and claim = $3 and ${NOT_ORDERED} returning id
   ), ${auditCte({ from: 'upd', first: 6 })}
   select id from upd`,
)
const presentStatement = sql(
  'wallet.end_delivery',
  `update wallet_delivery set status = 'delivered', error = null, sealed_parcel = null, claim = null, lease_until = null, updated_at = $3
   where tenant_id = $1 and id = $2 and kind = 'presentation' and status <> 'delivered' returning ${COLUMNS}`,
)
// Of several that come together each finds what the others made of the row: the count decides, not a look at other tables.
const settleStatement = sql(
  'wallet.settle_delivery',
  `update wallet_delivery set awaited = awaited - 1, credential_ids = credential_ids || $3::uuid[], error = coalesce($4::jsonb, error),
     status = case when awaited > 1 then 'deferred' when cardinality(credential_ids || $3::uuid[]) > 0 then 'delivered' else 'failed' end,
     updated_at = $5
   where tenant_id = $1 and id = $2 and awaited > 0 returning ${COLUMNS}`,
)
const passOnStatement = sql(
  'wallet.pass_on_deliveries',
  `update wallet_delivery set claim = null, lease_until = $3 where tenant_id = $1 and lease_until <= $2 returning id`,
)
const tenantsLeft = sql(
  'wallet.tenants_with_left_deliveries',
  'select distinct tenant_id as id from wallet_delivery where lease_until <= $1 limit 500',
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
})

/** Begins a delivery, with its audit entry. Fails if the id is taken. */
export async function insertDelivery(tx: TenantTx, made: NewDelivery, entry: AuditEntry, now: Date): Promise<void> {
  const { id, userId, kind, identifierType, sealedRecipient, sealedParcel, claim, leaseUntil } = made
  const sealed = [sealedRecipient, sealedParcel]
  const about = [made.issuanceId, made.presentationId, now]
  const values = [tx.tenantId, id, userId, kind, identifierType, ...sealed, claim, leaseUntil, ...about]
  await tx.rows(insertStatement, [...values, ...auditValues(entry, now)])
}

/** One delivery of the tenant. */
export async function findDelivery(tx: TenantTx, id: string): Promise<SealedDelivery | null> {
  const [row] = await tx.rows<SealedDelivery>(findStatement, [tx.tenantId, id])
  return row ?? null
}

/** What a list of deliveries is narrowed to; what is left out lets everything through. */
export type WalletDeliveryFilter = {
  readonly status?: DeliveryStatus | undefined
  readonly kind?: DeliveryKind | undefined
  readonly userId?: string | undefined
  readonly issuanceId?: string | undefined
}

/** One page, and one row more if there is a next page. */
export async function listDeliveries(
  tx: TenantTx,
  ask: PageRequest,
  filter: WalletDeliveryFilter,
): Promise<SealedDelivery[]> {
  return page<SealedDelivery>(tx, ask, [tx.tenantId], filter)
}

/**
 * Takes a delivery that nobody is at work on. One statement, so of two runs one gets it.
 *
 * @returns null if it is ordered, over, or somebody's.
 */
export async function claimDelivery(
  tx: TenantTx,
  { id, claim, leaseUntil }: DeliveryClaim,
  now: Date,
): Promise<ClaimedWalletDelivery | null> {
  const [row] = await tx.rows<ClaimedWalletDelivery>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now])
  return row ?? null
}

/**
 * Takes a delivery from whoever is at work on it, or begins one anew that has failed: the caller repeats the request that made it.
 *
 * @param sealedParcel Where it is not kept any more.
 * @returns null if there is none, or it is beyond that.
 */
export async function takeOverDelivery(
  tx: TenantTx,
  { id, claim, leaseUntil }: DeliveryClaim,
  sealedParcel: Buffer | null,
  now: Date,
): Promise<ClaimedWalletDelivery | null> {
  const values = [tx.tenantId, id, claim, leaseUntil, sealedParcel, now]
  const [row] = await tx.rows<ClaimedWalletDelivery>(takeOverStatement, values)
  return row ?? null
}

/** Lets go of a delivery; unless a job takes it before, it is looked at again at `leaseUntil`. */
export async function releaseDelivery(tx: TenantTx, { id, claim, leaseUntil }: DeliveryClaim): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, id, claim, leaseUntil])
}

/** Ends a delivery of which nothing was ordered yet. Nothing happens if it is not the caller's any more. */
export async function failDelivery(
  tx: TenantTx,
  { id, claim }: Pick<DeliveryClaim, 'id' | 'claim'>,
  error: DeliveryError,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const values = [tx.tenantId, id, claim, JSON.stringify(error), now]
  await tx.rows(failStatement, [...values, ...auditValues(entry, now)])
}

/** Ends the delivery of a presentation that was written in this transaction. @returns null if it had ended. */
export async function endPresentationDelivery(tx: TenantTx, id: string, now: Date): Promise<WalletDelivery | null> {
  const [row] = await tx.rows<SealedDelivery>(presentStatement, [tx.tenantId, id, now])
  return row ?? null
}

/** Tells a delivery that one row of `wallet_deferred` has gone, and what came of it. */
export async function settleDelivery(
  tx: TenantTx,
  id: string,
  came: { readonly credentialIds: readonly string[]; readonly error: DeliveryError | null },
  now: Date,
): Promise<WalletDelivery | null> {
  const error = came.error === null ? null : JSON.stringify(came.error)
  const [row] = await tx.rows<SealedDelivery>(settleStatement, [tx.tenantId, id, came.credentialIds, error, now])
  return row ?? null
}

/** Takes deliveries from calls that died. @returns their ids, each of which wants a job in the same transaction. */
export async function requeueExpiredDeliveries(tx: TenantTx, now: Date, lookAgainAt: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(passOnStatement, [tx.tenantId, now, lookAgainAt])).map(({ id }) => id)
}

/** The tenants with deliveries that a call left. */
export async function listTenantsWithExpiredDeliveries(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(tenantsLeft, [now])).map(({ id }) => id)
}
