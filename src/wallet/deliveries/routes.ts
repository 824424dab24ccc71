import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { answer, type Route, type RouteContext } from '../../http/routes/route.ts'
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

const deliveries = routeGroup({
  ...{ group: 'wallet', tag: 'deliveries', scope: 'users:read', params: IdParams, reply: WalletDeliveryReply },
})

type Context = Pick<RouteContext, 'platform' | 'caller'>

async function replyOf({ platform, caller }: Context, delivery: Promise<SealedDelivery>) {
  return answer(await showDelivery(platform, caller.tenantId, await delivery))
}

function credentialAt(path: '/orgs/credentials' | '/v2/orgs/credentials'): Route {
  return deliveries.post(path, {
    operationId: path === '/v2/orgs/credentials' ? 'deliverCredential' : 'deliverCredentialAtFormerPath',
    summary: "Adds the offered credentials to a user's wallet as pending.",
    scope: 'issuance:write',
    body: DeliverCredentialBody,
    status: 201,
    faults: ['resource.unknown', 'state.invalid', ...offerFaults],
    handle: ({ platform, caller, body, operation }) => {
      const { credentialOffer, txCode } = body
      const input = { ...recipientOf(body), payload: { credentialOffer, txCode } }
      return replyOf({ platform, caller }, deliver(platform, caller, input, operation))
    },
  })
}

const presentationRoute = deliveries.post('/v2/orgs/presentations', {
  operationId: 'deliverPresentation',
  summary: "Creates a pending presentation in a user's wallet; the user accepts or declines it.",
  scope: 'verification:write',
  body: DeliverPresentationBody,
  status: 201,
  faults: ['resource.unknown', 'state.invalid', ...presentationRequestFaults],
  handle: ({ platform, caller, body, operation }) => {
    const payload = { presentationRequest: body.presentationRequest }
    return replyOf({ platform, caller }, deliver(platform, caller, { ...recipientOf(body), payload }, operation))
  },
})

const listRoute = deliveries.list('/v2/orgs/deliveries', {
  summary: 'Lists the deliveries of the organisation to its users, failed ones included.',
  query: WalletDeliveryListQuery,
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listDeliveries(tx, list, filters)),
  show: (row, { platform, caller }) => showDelivery(platform, caller.tenantId, row),
})

const getRoute = deliveries.get('/v2/orgs/deliveries/{id}', {
  summary: 'Returns the record of a delivery.',
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
