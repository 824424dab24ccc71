import type { Caller, TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { knownId } from '../../uuid.ts'
import { record } from '../audit/record.ts'
import type { DeliveryAttempt } from './delivery-store.ts'
import { listSecrets } from './send-delivery.ts'
import { getWebhookEndpoint } from './webhook-endpoint-store.ts'
import { webhookHeaders, webhookSecretPlace } from './webhook-secret.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'fetch' | 'sealing' | 'rateLimiter'>

/** A message that was sent as a test, and what became of it. */
type TestedEndpoint = { readonly eventId: string; readonly body: string; readonly attempt: DeliveryAttempt }

/** Type of a test message. It is no event: it is not stored, not retried, and in no list. */
const TEST_TYPE = 'webhook_endpoint.test'
/** Within the time that a page waits for the API. */
const SEND_MS_MAX = 5_000
const RESPONSE_BYTES_MAX = 262_144

/**
 * Sends one message to an endpoint, signed like an event, also to a disabled one. Its outcome changes nothing at the
 * endpoint.
 *
 * @throws Fault `resource.unknown`, `request.rate_limited` after 20 in a minute of a tenant
 */
export async function testWebhookEndpoint(needs: Needs, caller: Caller, id: string): Promise<TestedEndpoint> {
  const { store, clock, sealing, rateLimiter } = needs
  const { tenantId } = caller
  const now = clock.now()
  const subject = { kind: 'webhook_endpoint', id: knownId(id) } as const
  rateLimiter.admit('events.webhook_tests', tenantId, now)
  const { endpoint, sealed } = await store.inTenant(tenantId, async (tx) => {
    const endpoint = await getWebhookEndpoint(tx, id)
    await record(tx, { action: 'webhook_endpoint.tested', subject, by: caller }, now)
    return { endpoint, sealed: await listSecrets(tx, id, now) }
  })
  rateLimiter.count('events.webhook_tests', tenantId, now)
  const secrets = await Promise.all(sealed.map((one) => sealing.open(webhookSecretPlace(tenantId, one.id), one.sealed)))
  const eventId = newId()
  const data = { id: eventId, subject, detail: {} }
  const body = JSON.stringify({ type: TEST_TYPE, timestamp: now.toISOString(), data })
  const headers = { 'content-type': 'application/json', ...webhookHeaders(eventId, body, secrets, now) }
  const startedMs = performance.now()
  const response = await post(needs, tenantId, endpoint.url, headers, body)
  const durationMs = Math.round(performance.now() - startedMs)
  return { eventId, body, attempt: { at: now.toISOString(), ...response, durationMs } }
}

async function post({ fetch }: Needs, tenantId: TenantId, url: string, headers: Record<string, string>, body: string) {
  try {
    const sent = { method: 'POST', headers, body, accept: [], bytesMax: RESPONSE_BYTES_MAX } as const
    const { status } = await fetch(tenantId, url, { ...sent, timeoutMs: SEND_MS_MAX })
    return { statusCode: status, error: null }
  } catch (error) {
    if (error instanceof Fault) return { statusCode: null, error: error.code }
    throw error
  }
}
