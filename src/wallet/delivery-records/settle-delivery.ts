import type { Actor } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import type { Fault } from '../../fault.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { recordForUser } from '../push/record-for-user.ts'
import { type DeliveryError, deliveryErrorOf, type WalletDelivery } from './delivery.ts'
import {
  countFailedDeliveries,
  type DeliveryRun,
  endPresentationDelivery,
  failDelivery,
  settleDelivery,
} from './delivery-store.ts'

/** The outcome of an order. */
type OrderOutcome = { readonly credentialIds: readonly string[]; readonly error: DeliveryError | null }

/**
 * Settles the delivery of an order, if any, in the transaction in which the order ends. Records an event for received
 * credentials, so that the organisation can notify the user.
 *
 * @param ended The order; null if another run has ended it.
 */
export async function settleOrder(
  tx: TenantTx,
  ended: { readonly deliveryId: string | null } | null,
  outcome: OrderOutcome,
  by: Actor,
  now: Date,
): Promise<void> {
  if (ended === null || ended.deliveryId === null) return
  const delivery = await settleDelivery(tx, ended.deliveryId, outcome, now)
  if (delivery === null) return
  const { credentialIds } = outcome
  if (credentialIds.length > 0) await recordArrival(tx, delivery, { credentialIds }, by, now)
  if (delivery.status === 'failed') await record(tx, failureOf(delivery.id, outcome.error, by), now)
}

/** Ends the delivery of a presentation in the transaction that inserts it. */
export async function settlePresentation(tx: TenantTx, deliveryId: string, by: Actor, now: Date): Promise<void> {
  const delivery = await endPresentationDelivery(tx, deliveryId, now)
  if (delivery === null) return
  await recordArrival(tx, delivery, { presentationId: delivery.presentationId }, by, now)
}

/** Ends a delivery of which nothing was ordered as failed, unless its lease was taken over. */
export async function endFailed(tx: TenantTx, run: DeliveryRun, fault: Fault, by: Actor, now: Date): Promise<void> {
  const error = deliveryErrorOf(fault)
  await failDelivery(tx, run, error, failureOf(run.id, error, by), now)
}

function failureOf(deliveryId: string, error: DeliveryError | null, by: Actor) {
  const subject = { kind: 'wallet_delivery', id: deliveryId } as const
  return { action: 'wallet_delivery.failed', subject, by, detail: { code: error?.code ?? '' } } as const
}

/** Records ids only: a receiver of the event fetches the rest with its own rights. */
async function recordArrival(
  tx: TenantTx,
  { id, kind, userId, issuanceId }: WalletDelivery,
  what: { readonly credentialIds: readonly string[] } | { readonly presentationId: string | null },
  by: Actor,
  now: Date,
): Promise<void> {
  const detail = { kind, userId, ...what, ...(issuanceId !== null && { issuanceId }) }
  const entry = { action: 'user.notification', subject: { kind: 'wallet_delivery', id }, by, detail } as const
  await recordForUser(tx, entry, userId, now)
}

/** Counts the deliveries of the tenant that were created after a time and failed. */
export function failedDeliveries(tx: TenantTx, since: Date): Promise<number> {
  return countFailedDeliveries(tx, lowestIdAt(since))
}
