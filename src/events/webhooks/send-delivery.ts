import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { type PublishedEvent, showEvent } from '../stream/event.ts'
import { findEvent } from '../stream/event-store.ts'
import { type AttemptOutcome, type DeliveryAttempt, finishAttempt } from './delivery-store.ts'
import type { ClaimedWebhookDelivery } from './dispatch-store.ts'
import { nextAttemptAt, RETRY_DAYS } from './retry-plan.ts'
import { disableEndpoint, recordEndpointFailure, recordEndpointSuccess } from './webhook-endpoint-store.ts'
import { webhookHeaders, webhookSecretPlace } from './webhook-secret.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'fetch' | 'sealing' | 'log'>

const SEND_MS_MAX = 10_000
/** After a slower response the message counts as delivered, and the endpoint is sent one message at a time. */
const SLOW_MS = 3_000
/** The response body is read so that the connection can be reused, and discarded. */
const RESPONSE_BYTES_MAX = 262_144
const GONE = 410

const selectSecrets = sql(
  'events.list_secrets',
  `select id, sealed from webhook_secret where tenant_id = $1 and endpoint_id = $2 and (ends_at is null or ends_at > $3)
   order by created_at desc`,
)

/** Returns the body of a webhook: the event of `GET /events`, in the members that Standard Webhooks defines. */
export function webhookBody(event: PublishedEvent): string {
  const { id, type, createdAt, subject, detail } = showEvent(event)
  return JSON.stringify({ type, timestamp: createdAt, data: { id, subject, detail } })
}

/**
 * Makes one attempt and records its outcome. Writes nothing if another server has taken the delivery over. Every
 * attempt of an event has the same `webhook-id`.
 */
export async function sendDelivery(needs: Needs, delivery: ClaimedWebhookDelivery): Promise<void> {
  const { store, clock } = needs
  const { tenantId, endpointId } = delivery
  const startedAt = clock.now()
  // This late the attempt could overlap that of a successor.
  if (startedAt.getTime() + SEND_MS_MAX > delivery.leaseUntil.getTime()) return
  const attempt = await attemptOf(needs, delivery, startedAt)
  // One time for both writes, so that the end of this attempt cannot disable an endpoint whose last attempt became due
  // meanwhile.
  const now = clock.now()
  const outcome = outcomeOf(delivery, attempt, now)
  if (!(await store.single(tenantId, (tx) => finishAttempt(tx, delivery, outcome, now)))) return
  if (isSuccess(attempt))
    return store.single(tenantId, (tx) => recordEndpointSuccess(tx, endpointId, attempt.durationMs > SLOW_MS))
  await store.single(tenantId, (tx) => recordEndpointFailure(tx, endpointId, startedAt))
  await disableIfFailing(needs, delivery, attempt, now)
}

async function attemptOf(needs: Needs, delivery: ClaimedWebhookDelivery, startedAt: Date): Promise<DeliveryAttempt> {
  const at = startedAt.toISOString()
  const startedMs = performance.now()
  const response = await post(needs, delivery, startedAt).catch((error: unknown) => {
    // The message of a foreign error may quote its input.
    const code = error instanceof Fault ? error.code : 'server.unexpected'
    if (code === 'server.unexpected')
      needs.log.error({ err: error, deliveryId: delivery.id }, 'an attempt to send a webhook failed unexpectedly')
    return { statusCode: null, error: code }
  })
  return { at, ...response, durationMs: Math.round(performance.now() - startedMs) }
}

async function post(needs: Needs, { tenantId, endpointId, eventId, url }: ClaimedWebhookDelivery, startedAt: Date) {
  const { event, secrets } = await messageOf(needs, { tenantId, endpointId, eventId }, startedAt)
  const body = webhookBody(event)
  const { status } = await needs.fetch(tenantId, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...webhookHeaders(eventId, body, secrets, startedAt) },
    body,
    accept: [],
    bytesMax: RESPONSE_BYTES_MAX,
    timeoutMs: SEND_MS_MAX,
    isTraced: true,
  })
  return { statusCode: status, error: null }
}

async function messageOf(
  { store, sealing }: Needs,
  { tenantId, endpointId, eventId }: Pick<ClaimedWebhookDelivery, 'tenantId' | 'endpointId' | 'eventId'>,
  now: Date,
) {
  const { event, sealed } = await store.inTenant(tenantId, async (tx) => {
    return { event: await findEvent(tx, eventId), sealed: await listSecrets(tx, endpointId, now) }
  })
  if (event === null) throw new Fault('resource.unknown', { notes: `event ${eventId} is gone` })
  const secrets = await Promise.all(sealed.map((one) => sealing.open(webhookSecretPlace(tenantId, one.id), one.sealed)))
  return { event, secrets }
}

/** Returns the sealed secrets of an endpoint that are valid, the current one first. */
export async function listSecrets(
  tx: TenantTx,
  endpointId: string,
  now: Date,
): Promise<readonly { readonly id: string; readonly sealed: Buffer }[]> {
  return tx.rows<{ id: string; sealed: Buffer }>(selectSecrets, [tx.tenantId, endpointId, now])
}

function isSuccess({ statusCode }: DeliveryAttempt): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300
}

function outcomeOf({ tries, triedUntil }: ClaimedWebhookDelivery, attempt: DeliveryAttempt, now: Date): AttemptOutcome {
  if (isSuccess(attempt)) return { status: 'delivered', dueAt: now, attempt }
  const dueAt = nextAttemptAt(tries, triedUntil, now, Math.random())
  return dueAt === null ? { status: 'dead', dueAt: now, attempt } : { status: 'pending', dueAt, attempt }
}

async function disableIfFailing(
  { store, log }: Needs,
  { tenantId, endpointId }: ClaimedWebhookDelivery,
  { statusCode }: DeliveryAttempt,
  now: Date,
): Promise<void> {
  const why =
    statusCode === GONE
      ? ({ reason: 'gone', failingSince: null } as const)
      : ({ reason: 'failing', failingSince: new Date(now.getTime() - RETRY_DAYS * 86_400_000) } as const)
  const entry = {
    action: 'webhook_endpoint.disabled',
    subject: { kind: 'webhook_endpoint', id: endpointId },
    by: 'system',
    detail: { reason: why.reason },
  } as const
  const isDisabled = await store.inTenant(tenantId, (tx) => disableEndpoint(tx, endpointId, why, entry, now))
  if (isDisabled) log.warn({ tenantId, endpointId, reason: why.reason }, 'a webhook endpoint was disabled')
}
