import type { Caller } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import type { WebhookEndpointBody, WebhookEndpointChange } from '../../contract/events/webhooks.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { knownId } from '../../uuid.ts'
import type { AuditEntry, Detail } from '../audit/entry.ts'
import { enqueueAllDeliveries } from './delivery-store.ts'
import { RETRY_DAYS } from './retry-plan.ts'
import { ENDPOINTS_MAX, readWebhookUrl, type WebhookEndpoint } from './webhook-endpoint.ts'
import {
  changeWebhookEndpoint,
  countDisabled,
  deleteWebhookEndpoint,
  insertWebhookEndpoint,
  type NewSecret,
  replaceSecret,
} from './webhook-endpoint-store.ts'
import { newWebhookSecret, webhookSecretPlace } from './webhook-secret.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'sealing'>

/** An endpoint with its new secret, which is shown only once. */
type WebhookEndpointWithSecret = { readonly endpoint: WebhookEndpoint; readonly secret: string }

const OVERLAP_SECONDS = 86_400

/** Creates an endpoint. It receives the events from now on. @throws Fault `request.invalid`, `state.conflict` */
export async function createWebhookEndpoint(
  needs: Needs,
  caller: Caller,
  body: WebhookEndpointBody,
  id = newId(),
): Promise<WebhookEndpointWithSecret> {
  const { store, clock, config } = needs
  const url = readWebhookUrl(body.url, config)
  const { secret, text } = await sealedSecret(needs, caller)
  const made = { id, url, filterTypes: body.filterTypes ?? [], secret }
  const now = clock.now()
  const endpoint = await store.inTenant(caller.tenantId, (tx) =>
    insertWebhookEndpoint(tx, made, ENDPOINTS_MAX, auditEntry('webhook_endpoint.created', id, caller), now),
  )
  if (endpoint === null)
    throw new Fault('state.conflict', { detail: `A tenant can have at most ${ENDPOINTS_MAX} webhook endpoints.` })
  return { endpoint, secret: text }
}

/**
 * Changes an endpoint. When it is enabled again, it receives its pending deliveries and the events of the last {@link
 * RETRY_DAYS} days.
 *
 * @throws Fault `request.invalid`, `resource.unknown`
 */
export async function updateWebhookEndpoint(
  { store, clock, config }: Needs,
  caller: Caller,
  id: string,
  body: WebhookEndpointChange,
): Promise<WebhookEndpoint> {
  const to = {
    url: body.url === undefined ? null : readWebhookUrl(body.url, config),
    filterTypes: body.filterTypes ?? null,
    status: body.status ?? null,
  }
  const now = clock.now()
  const entry = auditEntry('webhook_endpoint.changed', knownId(id), caller, { members: Object.keys(body) })
  return store.inTenant(caller.tenantId, async (tx) => {
    const changed = await changeWebhookEndpoint(tx, id, to, entry, now)
    if (to.status === 'active')
      await enqueueAllDeliveries(tx, id, new Date(now.getTime() + RETRY_DAYS * 86_400_000), now)
    return changed
  })
}

/** @throws Fault `resource.unknown` */
export async function removeWebhookEndpoint({ store, clock }: Needs, caller: Caller, id: string): Promise<void> {
  const entry = auditEntry('webhook_endpoint.deleted', knownId(id), caller)
  await store.inTenant(caller.tenantId, (tx) => deleteWebhookEndpoint(tx, id, entry, clock.now()))
}

/**
 * Rotates the signing secret. The former one stays valid for `overlapSeconds`, a day by default; until then both sign.
 *
 * @throws Fault `resource.unknown`
 */
export async function rotateWebhookSecret(
  needs: Needs,
  caller: Caller,
  id: string,
  overlapSeconds = OVERLAP_SECONDS,
): Promise<WebhookEndpointWithSecret & { readonly formerUntil: Date }> {
  const { secret, text } = await sealedSecret(needs, caller)
  const now = needs.clock.now()
  const formerUntil = new Date(now.getTime() + overlapSeconds * 1000)
  const entry = auditEntry('webhook_endpoint.secret_rotated', knownId(id), caller, { overlapSeconds })
  const endpoint = await needs.store.inTenant(caller.tenantId, (tx) =>
    replaceSecret(tx, id, secret, formerUntil, entry, now),
  )
  return { endpoint, secret: text, formerUntil }
}

async function sealedSecret({ sealing }: Needs, { tenantId }: Caller): Promise<{ secret: NewSecret; text: string }> {
  const id = newId()
  const { bytes, text } = newWebhookSecret()
  return { secret: { id, sealed: await sealing.seal(webhookSecretPlace(tenantId, id), bytes) }, text }
}

function auditEntry(action: AuditAction, id: string, by: Caller, detail: Detail = {}): AuditEntry {
  return { action, subject: { kind: 'webhook_endpoint', id }, by, detail }
}

/** Counts the endpoints of the tenant that the server disabled. */
export function disabledEndpoints(tx: TenantTx): Promise<number> {
  return countDisabled(tx)
}
