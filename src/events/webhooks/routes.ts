import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import type { PublicEvent } from '../audit/vocabulary.ts'
import { listWebhookDeliveries, readWebhookDelivery, redeliverWebhook } from './deliveries.ts'
import type { WebhookDelivery } from './delivery-store.ts'
import { type CountedEndpoint, withCounts } from './endpoint-counts.ts'
import {
  RotatedMeta,
  SecretRotation,
  WebhookDeliveryListQuery,
  WebhookDeliveryReply,
  WebhookEndpointBody,
  WebhookEndpointChange,
  WebhookEndpointListQuery,
  WebhookEndpointReply,
  WebhookTestReply,
} from './schemas.ts'
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

const common = { group: 'creds', tag: 'webhooks', path: '/endpoints' } as const
const scope = { read: 'events:read', write: 'webhooks:write' } as const
const webhooks = routeGroup({ ...common, scope, reply: WebhookEndpointReply })
const deliveries = routeGroup({ ...common, scope, path: '/endpoints/{id}/deliveries', reply: WebhookDeliveryReply })

const addRoute = webhooks.post('', {
  summary: 'Creates a webhook endpoint. Only this response contains its signing secret.',
  body: WebhookEndpointBody,
  rules: webhookUrlViolations,
  status: 201,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    // The client never received the secret of an attempt that crashed, so the repetition gets another one.
    const find = (id: string) => rotateWebhookSecret(platform, caller, id, 0)
    const { endpoint, secret } = await once(operation, find, (id) => createWebhookEndpoint(platform, caller, body, id))
    return answer({ ...show(endpoint), secret })
  },
})

const listRoute = webhooks.list('', {
  summary: 'Lists webhook endpoints.',
  query: WebhookEndpointListQuery,
  read: ({ platform, caller }, list, filters) =>
    platform.store.inTenant(caller.tenantId, async (tx) =>
      withCounts(tx, await listWebhookEndpoints(tx, list, filters)),
    ),
  show,
})

const getRoute = webhooks.get('/{id}', {
  summary: 'Reads a webhook endpoint.',
  handle: async ({ platform, caller, params }) => {
    const read = platform.store.inTenant(caller.tenantId, async (tx) =>
      withCounts(tx, [await getWebhookEndpoint(tx, knownId(params.id))]),
    )
    const [found] = await read
    if (found === undefined) throw new Fault('resource.unknown')
    return answer(show(found))
  },
})

const changeRoute = webhooks.patch('/{id}', {
  summary:
    'Changes, disables or enables a webhook endpoint. When enabled, it is sent the events of the last three days.',
  body: WebhookEndpointChange,
  rules: webhookUrlViolations,
  handle: async ({ platform, caller, params, body }) =>
    answer(show(await updateWebhookEndpoint(platform, caller, params.id, body))),
})

const removeRoute = webhooks.delete('/{id}', {
  operationId: 'deleteWebhookEndpoint',
  summary: 'Deletes a webhook endpoint with its secrets and deliveries.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
    await removeWebhookEndpoint(platform, caller, params.id)
    return answer(undefined)
  },
})

const rotateRoute = webhooks.post('/{id}/secret/rotate', {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotates the signing secret. The former one signs too until `meta.formerSecretUntil`.',
  body: SecretRotation,
  meta: RotatedMeta,
  handle: async ({ platform, caller, params, body }) => {
    const { endpoint, secret, formerUntil } = await rotateWebhookSecret(
      platform,
      caller,
      params.id,
      body.overlapSeconds,
    )
    return answer({ ...show(endpoint), secret }, { meta: { formerSecretUntil: formerUntil.toISOString() } })
  },
})

const testRoute = webhooks.post('/{id}/test', {
  operationId: 'testWebhookEndpoint',
  summary:
    'Sends a test message, signed like an event, and returns what became of it. It is not retried, and changes nothing at the endpoint.',
  reply: WebhookTestReply,
  faults: ['request.rate_limited'],
  handle: async ({ platform, caller, params }) => answer(await testWebhookEndpoint(platform, caller, params.id)),
})

const deliveriesRoute = deliveries.list('', {
  summary: 'Lists the deliveries to a webhook endpoint with their attempts. A finished delivery is kept for 30 days.',
  query: WebhookDeliveryListQuery,
  read: ({ platform, caller, params }, list, filters) =>
    listWebhookDeliveries(platform, caller, params.id, list, filters),
  show: showDelivery,
})

const deliveryRoute = deliveries.get('/{deliveryId}', {
  summary: 'Reads a delivery with its body.',
  handle: async ({ platform, caller, params }) =>
    answer(showDelivery(await readWebhookDelivery(platform, caller, params.id, params.deliveryId))),
})

const redeliverRoute = deliveries.post('/{deliveryId}/redeliver', {
  summary: 'Sends an event again, whatever the status of its delivery.',
  status: 202,
  faults: ['state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(showDelivery(await redeliverWebhook(platform, caller, params.id, params.deliveryId))),
})

/** The operations on webhook endpoints and their deliveries. */
export const webhookRoutes: readonly Route[] = [
  ...[addRoute, listRoute, getRoute, changeRoute, removeRoute],
  ...[rotateRoute, testRoute, deliveriesRoute, deliveryRoute, redeliverRoute],
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
