import type { TenantId } from '../../caller.ts'
import { parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import { listSecrets } from './send-delivery.ts'
import { getWebhookEndpoint } from './webhook-endpoint-store.ts'
import { webhookHeaders, webhookSecretPlace } from './webhook-secret.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'fetch'>

/** A question to a tenant. `id`: as `webhook-id`, the same in each attempt. */
type Question = { readonly id: string; readonly type: string; readonly data: object }

const TRIES_MAX = 2
const ATTEMPT_MS_MAX = 5_000
const RESPONSE_BYTES_MAX = 262_144

/**
 * Asks an endpoint of a tenant a question that it answers at once. Signed like webhooks (Standard Webhooks); at most
 * two attempts of five seconds each, the second only if the first brought no answer, or 429 or 5xx. The caller must be
 * able to discard the answer.
 *
 * @returns the JSON of a 200 response; null if the endpoint refused with 4xx
 * @throws Fault `upstream.*`; `resource.unknown` if there is no such endpoint, or it is disabled
 */
export async function askEndpoint(
  needs: Needs,
  tenantId: TenantId,
  endpointId: string,
  { id, type, data }: Question,
): Promise<unknown> {
  const now = needs.clock.now()
  const { endpoint, sealed } = await needs.store.inTenant(tenantId, async (tx) => {
    return { endpoint: await getWebhookEndpoint(tx, endpointId), sealed: await listSecrets(tx, endpointId, now) }
  })
  if (endpoint.status !== 'active') throw new Fault('resource.unknown', { notes: 'the webhook endpoint is disabled' })
  const secrets = await Promise.all(
    sealed.map((one) => needs.sealing.open(webhookSecretPlace(tenantId, one.id), one.sealed)),
  )
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data })
  const send = () => {
    const headers = { 'content-type': 'application/json', ...webhookHeaders(id, body, secrets, needs.clock.now()) }
    const request = { method: 'POST', headers, body, accept: ['application/json'] } as const
    return needs.fetch(tenantId, endpoint.url, { ...request, bytesMax: RESPONSE_BYTES_MAX, timeoutMs: ATTEMPT_MS_MAX })
  }
  const answer = await withRetry(send)
  if (answer.status >= 400 && answer.status < 500) return null
  if (answer.status !== 200) throw new Fault('upstream.answer', { notes: `the endpoint answered ${answer.status}` })
  return parseJson(answer.body)
}

async function withRetry(send: () => Promise<OutboundAnswer>): Promise<OutboundAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send().catch((error: unknown) => {
      if (tries < TRIES_MAX && error instanceof Fault && isPassing(error)) return null
      throw error
    })
    if (answer !== null && (tries === TRIES_MAX || !isBusy(answer))) return answer
  }
}

/** Whether a second attempt may succeed. */
function isPassing({ code }: Fault): boolean {
  return code === 'upstream.unreachable' || code === 'upstream.timeout'
}

function isBusy({ status }: OutboundAnswer): boolean {
  return status === 429 || status >= 500
}
