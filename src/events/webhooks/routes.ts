import { serveList } from '../../api/serve-list.ts'
import type { PublicEvent } from '../../contract/events/vocabulary.ts'
import {
  type WebhookDeliveryReply,
  type WebhookEndpointReply,
  webhookDeliveries,
  webhooks,
} from '../../contract/events/webhooks.ts'
import { Fault } from '../../fault.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import { listWebhookDeliveries, readWebhookDelivery, redeliverWebhook } from './deliveries.ts'
import type { WebhookDelivery } from './delivery-store.ts'
import { type CountedEndpoint, withCounts } from './endpoint-counts.ts'
import { testWebhookEndpoint } from './test-endpoint.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'
import { webhookUrlViolations } from './webhook-endpoint.ts'
import { getWebhookEndpoint, listWebhookEndpoints } from './webhook-endpoint-store.ts'
import {
  createWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts'

const addRoute = serve(
  webhooks.create,
  async ({ platform, caller, body, operation }) => {
    // The client never received the secret of an attempt that crashed, so the repetition gets another one.
    const find = (id: string) => rotateWebhookSecret(platform, caller, id, 0)
    const { endpoint, secret } = await once(operation, find, (id) => createWebhookEndpoint(platform, caller, body, id))
    return answer({ ...show(endpoint), secret })
  },
  { rules: webhookUrlViolations },
)

const listRoute = serveList(webhooks.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.inTenant(caller.tenantId, async (tx) =>
      withCounts(tx, await listWebhookEndpoints(tx, list, filters)),
    ),
  show,
})

const getRoute = serve(webhooks.get, async ({ platform, caller, params }) => {
  const read = platform.store.inTenant(caller.tenantId, async (tx) =>
    withCounts(tx, [await getWebhookEndpoint(tx, knownId(params.id))]),
  )
  const [found] = await read
  if (found === undefined) throw new Fault('resource.unknown')
  return answer(show(found))
})

const changeRoute = serve(
  webhooks.change,
  async ({ platform, caller, params, body }) =>
    answer(show(await updateWebhookEndpoint(platform, caller, params.id, body))),
  { rules: webhookUrlViolations },
)

const removeRoute = serve(webhooks.delete, async ({ platform, caller, params }) => {
  await removeWebhookEndpoint(platform, caller, params.id)
  return answer(undefined)
})

const rotateRoute = serve(webhooks.rotateSecret, async ({ platform, caller, params, body }) => {
  const { endpoint, secret, formerUntil } = await rotateWebhookSecret(platform, caller, params.id, body.overlapSeconds)
  return answer({ ...show(endpoint), secret }, { meta: { formerSecretUntil: formerUntil.toISOString() } })
})

const testRoute = serve(webhooks.test, async ({ platform, caller, params }) =>
  answer(await testWebhookEndpoint(platform, caller, params.id)),
)

const deliveriesRoute = serveList(webhookDeliveries.list, {
  read: ({ platform, caller, params }, list, filters) =>
    listWebhookDeliveries(platform, caller, params.id, list, filters),
  show: showDelivery,
})

const deliveryRoute = serve(webhookDeliveries.get, async ({ platform, caller, params }) =>
  answer(showDelivery(await readWebhookDelivery(platform, caller, params.id, params.deliveryId))),
)

const redeliverRoute = serve(webhookDeliveries.redeliver, async ({ platform, caller, params }) =>
  answer(showDelivery(await redeliverWebhook(platform, caller, params.id, params.deliveryId))),
)

/** The operations on webhook endpoints and their deliveries. */
export const webhookRoutes: readonly Route[] = [
  addRoute,
  listRoute,
  getRoute,
  changeRoute,
  removeRoute,
  rotateRoute,
  testRoute,
  deliveriesRoute,
  deliveryRoute,
  redeliverRoute,
]

function show(endpoint: WebhookEndpoint | CountedEndpoint): WebhookEndpointReply {
  const { filterTypes, disabledAt, failingSince, createdAt, updatedAt, ...rest } = endpoint
  return {
    ...rest,
    filterTypes: [...filterTypes],
    disabledAt: disabledAt?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

function showDelivery(delivery: WebhookDelivery & { readonly body?: string | null }): WebhookDeliveryReply {
  const { type, dueAt, attempts, createdAt, endedAt, ...rest } = delivery
  return {
    ...rest,
    // Only public events are delivered.
    type: type as PublicEvent,
    attempts: attempts.map((one) => ({ ...one })),
    nextAttemptAt: rest.status === 'pending' ? dueAt.toISOString() : null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}
