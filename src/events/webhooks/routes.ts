import { Type } from 'typebox'
import { listAnswer, parseListQuery } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import type { PublicEvent } from '../audit/vocabulary.ts'
import { getWebhookDelivery, listWebhookDeliveries, redeliverWebhook } from './deliveries.ts'
import type { WebhookDelivery } from './delivery-store.ts'
import {
  SecretRotation,
  WebhookDeliveryListQuery,
  WebhookDeliveryReply,
  WebhookEndpointBody,
  WebhookEndpointChange,
  WebhookEndpointListQuery,
  WebhookEndpointReply,
} from './schemas.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts'

const common = { group: 'creds', tag: 'webhooks', scope: 'webhooks:write' } as const

const addRoute = route({
  ...common,
  method: 'POST',
  path: '/endpoints',
  summary: 'Adds an address that events are sent to, signed with a secret that this answer alone tells.',
  body: WebhookEndpointBody,
  status: 201,
  reply: WebhookEndpointReply,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    // After a crash nobody was told the first secret, so the repetition gets another one.
    const find = (id: string) => rotateWebhookSecret(platform, caller, id, 0)
    const { endpoint, secret } = await once(operation, find, (id) => createWebhookEndpoint(platform, caller, body, id))
    return answer({ ...show(endpoint), secret })
  },
})

const listRoute = route({
  ...common,
  method: 'GET',
  path: '/endpoints',
  summary: 'Lists the addresses that events are sent to.',
  query: WebhookEndpointListQuery,
  status: 200,
  reply: Type.Array(WebhookEndpointReply),
  faults: [],
  handle: async ({ platform, caller, query, href }) => {
    const list = parseListQuery(query)
    return listAnswer(
      await listWebhookEndpoints(platform, caller, list, query['filter[status]'] ?? null),
      { href, query, list },
      show,
    )
  },
})

const getRoute = route({
  ...common,
  method: 'GET',
  path: '/endpoints/{id}',
  summary: 'Reads an endpoint: whether it is active, and if not, why.',
  status: 200,
  reply: WebhookEndpointReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => answer(show(await getWebhookEndpoint(platform, caller, params.id))),
})

const changeRoute = route({
  ...common,
  method: 'PATCH',
  path: '/endpoints/{id}',
  summary:
    'Changes an endpoint, or switches it off or on again. Switched on, it is sent what it missed in the last three days.',
  body: WebhookEndpointChange,
  status: 200,
  reply: WebhookEndpointReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, body }) =>
    answer(show(await updateWebhookEndpoint(platform, caller, params.id, body))),
})

const removeRoute = route({
  ...common,
  method: 'DELETE',
  path: '/endpoints/{id}',
  summary: 'Removes an endpoint with its secrets and deliveries.',
  status: 204,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    await removeWebhookEndpoint(platform, caller, params.id)
    return answer(undefined)
  },
})

const rotateRoute = route({
  ...common,
  method: 'POST',
  path: '/endpoints/{id}/secret/rotate',
  summary:
    'Makes a new signing secret. For a while the former one signs too; `meta.formerSecretUntil` says until when.',
  body: SecretRotation,
  status: 200,
  reply: WebhookEndpointReply,
  faults: ['resource.unknown'],
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

const deliveriesRoute = route({
  ...common,
  method: 'GET',
  path: '/endpoints/{id}/deliveries',
  summary: 'Lists what was, is or will be sent to an endpoint, with each attempt. What has ended is kept for 30 days.',
  query: WebhookDeliveryListQuery,
  status: 200,
  reply: Type.Array(WebhookDeliveryReply),
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, query, href }) => {
    const list = parseListQuery(query)
    const filter = {
      status: query['filter[status]'] ?? null,
      type: query['filter[type]'] ?? null,
      event: query['filter[eventId]'] ?? null,
    }
    const rows = await listWebhookDeliveries(platform, caller, params.id, list, filter)
    return listAnswer(rows, { href, query, list }, showDelivery)
  },
})

const deliveryRoute = route({
  ...common,
  method: 'GET',
  path: '/endpoints/{id}/deliveries/{deliveryId}',
  summary: 'Reads one delivery.',
  status: 200,
  reply: WebhookDeliveryReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    answer(showDelivery(await getWebhookDelivery(platform, caller, params.id, params.deliveryId))),
})

const redeliverRoute = route({
  ...common,
  method: 'POST',
  path: '/endpoints/{id}/deliveries/{deliveryId}/redeliver',
  summary: 'Sends an event once more, whatever became of it.',
  status: 202,
  reply: WebhookDeliveryReply,
  faults: ['resource.unknown', 'state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(showDelivery(await redeliverWebhook(platform, caller, params.id, params.deliveryId))),
})

/** Where events are sent to, and what became of it. */
export const webhookRoutes: readonly Route[] = [
  ...[addRoute, listRoute, getRoute, changeRoute, removeRoute],
  ...[rotateRoute, deliveriesRoute, deliveryRoute, redeliverRoute],
]

function show(endpoint: WebhookEndpoint): WebhookEndpointReply {
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

function showDelivery({ type, dueAt, attempts, createdAt, endedAt, ...rest }: WebhookDelivery): WebhookDeliveryReply {
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
