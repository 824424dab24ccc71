import { serveList } from '../../api/serve-list.ts'
import { deliveries, type IdentifierType } from '../../contract/wallet/deliveries.ts'
import { answer, type Route, type RouteContext, serve } from '../../http/routes/route.ts'
import { listDeliveries, type SealedDelivery } from '../delivery-records/delivery-store.ts'
import { getDeliveryRow } from './deliver.ts'
import { deliver } from './deliver-for.ts'
import { showDelivery } from './show-delivery.ts'

type Context = Pick<RouteContext, 'platform' | 'caller'>

async function replyOf({ platform, caller }: Context, delivery: Promise<SealedDelivery>) {
  return answer(await showDelivery(platform, caller.tenantId, await delivery))
}

const credentialRoute = (
  operation: typeof deliveries.deliverCredential | typeof deliveries.deliverCredentialAtFormerPath,
) =>
  serve(operation, ({ platform, caller, body, operation: source }) => {
    const { credentialOffer, txCode } = body
    const input = { ...recipientOf(body), payload: { credentialOffer, txCode } }
    return replyOf({ platform, caller }, deliver(platform, caller, input, source))
  })

const presentationRoute = serve(deliveries.deliverPresentation, ({ platform, caller, body, operation }) => {
  const payload = { presentationRequest: body.presentationRequest }
  return replyOf({ platform, caller }, deliver(platform, caller, { ...recipientOf(body), payload }, operation))
})

const listRoute = serveList(deliveries.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listDeliveries(tx, list, filters)),
  show: (row, { platform, caller }) => showDelivery(platform, caller.tenantId, row),
})

const getRoute = serve(deliveries.get, ({ platform, caller, params }) =>
  replyOf({ platform, caller }, getDeliveryRow(platform, caller.tenantId, params.id)),
)

/** Deliveries of an organisation to the wallets of its users. */
export const deliveryRoutes: readonly Route[] = [
  credentialRoute(deliveries.deliverCredentialAtFormerPath),
  credentialRoute(deliveries.deliverCredential),
  presentationRoute,
  listRoute,
  getRoute,
]

function recipientOf({ recipient, identifierType }: { recipient: string; identifierType?: IdentifierType }) {
  return { recipient: { identifierType: identifierType ?? 'email', value: recipient }, pointer: '/recipient' } as const
}
