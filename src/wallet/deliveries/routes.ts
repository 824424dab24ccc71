import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listPage } from '../../api/list.ts'
import { answer, type Route, type RouteContext, route } from '../../http/routes/route.ts'
import { offerFaults, presentationRequestFaults } from '../credentials/refusals.ts'
import type { IdentifierType } from '../delivery-records/delivery.ts'
import { listDeliveries, type SealedDelivery } from '../delivery-records/delivery-store.ts'
import { getDeliveryRow } from './deliver.ts'
import { deliver } from './deliver-for.ts'
import {
  DeliverCredentialBody,
  DeliverPresentationBody,
  WalletDeliveryListQuery,
  WalletDeliveryReply,
} from './schemas.ts'
import { showDelivery } from './show-delivery.ts'

const base = { group: 'wallet', tag: 'deliveries' } as const
const created = { ...base, method: 'POST', status: 201, reply: WalletDeliveryReply } as const

type Context = Pick<RouteContext, 'platform' | 'caller'>

async function replyOf({ platform, caller }: Context, delivery: Promise<SealedDelivery>) {
  return answer(await showDelivery(platform, caller.tenantId, await delivery))
}

function credentialAt(path: '/orgs/credentials' | '/v2/orgs/credentials'): Route {
  return route({
    ...created,
    path,
    summary: "Adds the offered credentials to a user's wallet as pending.",
    scope: 'issuance:write',
    body: DeliverCredentialBody,
    faults: ['resource.unknown', 'state.invalid', ...offerFaults],
    handle: ({ platform, caller, body, operation }) => {
      const { credentialOffer, txCode } = body
      const input = { ...recipientOf(body), payload: { credentialOffer, txCode } }
      return replyOf({ platform, caller }, deliver(platform, caller, input, operation))
    },
  })
}

const presentationRoute = route({
  ...created,
  path: '/v2/orgs/presentations',
  summary: "Creates a pending presentation in a user's wallet; the user accepts or declines it.",
  scope: 'verification:write',
  body: DeliverPresentationBody,
  faults: ['resource.unknown', 'state.invalid', ...presentationRequestFaults],
  handle: ({ platform, caller, body, operation }) => {
    const payload = { presentationRequest: body.presentationRequest }
    return replyOf({ platform, caller }, deliver(platform, caller, { ...recipientOf(body), payload }, operation))
  },
})

const listRoute = route({
  ...base,
  method: 'GET',
  path: '/v2/orgs/deliveries',
  summary: 'Lists the deliveries of the organisation to its users, failed ones included.',
  scope: 'users:read',
  query: WalletDeliveryListQuery,
  status: 200,
  reply: Type.Array(WalletDeliveryReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listDeliveries(tx, list, filtersOf(query))),
      (row) => showDelivery(platform, caller.tenantId, row),
    ),
})

const getRoute = route({
  ...base,
  method: 'GET',
  path: '/v2/orgs/deliveries/{id}',
  summary: 'Returns the record of a delivery.',
  scope: 'users:read',
  params: IdParams,
  status: 200,
  reply: WalletDeliveryReply,
  faults: ['resource.unknown'],
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, getDeliveryRow(platform, caller.tenantId, params.id)),
})

/** Deliveries of an organisation to the wallets of its users. */
export const deliveryRoutes: readonly Route[] = [
  credentialAt('/orgs/credentials'),
  credentialAt('/v2/orgs/credentials'),
  presentationRoute,
  listRoute,
  getRoute,
]

function recipientOf({ recipient, identifierType }: { recipient: string; identifierType?: IdentifierType }) {
  return { recipient: { identifierType: identifierType ?? 'email', value: recipient }, pointer: '/recipient' } as const
}
