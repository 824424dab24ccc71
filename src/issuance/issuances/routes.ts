import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { grantsOfOffer } from '../offers/offer-grants.ts'
import { cancelIssuance } from './cancel-issuance.ts'
import { createAndDeliver } from './create-and-deliver.ts'
import { createIssuance } from './create-issuance.ts'
import { getIssuance } from './get-issuance.ts'
import { listIssuances } from './issuance-list-store.ts'
import { watchedIssuances } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import { rereadIssuance } from './reread-issuance.ts'
import { CreateIssuanceBody, IssuanceListQuery, IssuanceView } from './schemas.ts'
import type { WalletPort } from './wallet-port.ts'

const Delivery = Type.Object(
  { id: Type.String(), status: Type.String() },
  { description: 'With a recipient: the delivery, as in `GET /wallet/v2/orgs/deliveries/{id}`.' },
)

const issuances = routeGroup({
  ...{ group: 'creds', tag: 'issuances', params: IdParams, reply: IssuanceView },
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

const createWith = (deliveries: WalletPort) =>
  issuances.post('/credentials/issuance', {
    summary:
      'Creates an issuance and returns the credential offer to show to the holder; with a recipient, delivers the credential to that user.',
    body: CreateIssuanceBody,
    meta: Type.Object({ delivery: Type.Optional(Delivery) }),
    faults: [
      'resource.unknown',
      'attributes.rejected',
      'certificate.none_active',
      'state.invalid',
      'state.conflict',
      'offer.format',
    ],
    handle: async ({ platform, caller, body, operation }) => {
      const { recipient, ...ask } = body
      const grants = await grantsOfOffer(platform, caller.tenantId, body)
      if (recipient !== undefined && !grants.includes('authorization_code')) {
        const { issuance, delivery } = await createAndDeliver(
          platform,
          deliveries,
          caller,
          { ...ask, recipient },
          operation,
        )
        return answer(issuance, delivery === null ? {} : { meta: { delivery } })
      }
      return answer(
        await once(
          operation,
          (id) => rereadIssuance(platform, caller, id),
          (id) => createIssuance(platform, caller, { ...body, grants }, id),
        ),
      )
    },
  })

function listAt(path: string): Route {
  return issuances.list(path, {
    summary: 'Lists the issuances of the tenant.',
    query: IssuanceListQuery,
    read: ({ platform, caller }, list, filters) => {
      const { createdAfter, createdBefore, ...filter } = filters
      const times = {
        ...(createdAfter !== undefined && { createdAfter: new Date(createdAfter) }),
        ...(createdBefore !== undefined && { createdBefore: new Date(createdBefore) }),
      }
      return platform.store.single(caller.tenantId, (tx) =>
        listIssuances(tx, list, { ...filter, ...times }, platform.clock.now()),
      )
    },
    show: (row, { platform, caller }) => showIssuance(platform, caller, row),
  })
}

function getAt(path: '/credentials/{id}' | '/credentials/issuance/{id}'): Route {
  return issuances.get(path, {
    summary: 'Returns an issuance; with `Prefer: wait`, once it has changed.',
    longPoll: true,
    handle: ({ platform, caller, params, headers }) =>
      conditionalAnswer(
        { platform, caller, headers },
        {
          watched: watchedIssuances,
          id: params.id,
          read: () => getIssuance(platform, caller, params.id),
          isFinal: ({ status }) => status !== 'offered' && status !== 'partiallyIssued',
        },
      ),
  })
}

function cancelAt(path: '/credentials/{id}' | '/credentials/issuance/{id}'): Route {
  return issuances.delete(path, {
    summary: 'Cancels an open issuance and erases its claims.',
    faults: ['state.invalid'],
    handle: async ({ platform, caller, params }) => answer(await cancelIssuance(platform, caller, params.id)),
  })
}

/** Issuances, in our API. @param deliveries Delivers credentials to the wallets of the tenant's users. */
export const issuanceRoutes = (deliveries: WalletPort): readonly Route[] => [
  createWith(deliveries),
  listAt('/credentials/issuance'),
  listAt('/credentials'),
  getAt('/credentials/issuance/{id}'),
  getAt('/credentials/{id}'),
  cancelAt('/credentials/issuance/{id}'),
  cancelAt('/credentials/{id}'),
]
