import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listPage } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { cancelIssuance } from './cancel-issuance.ts'
import { createAndDeliver } from './create-and-deliver.ts'
import { createIssuance } from './create-issuance.ts'
import { getIssuance } from './get-issuance.ts'
import { type IssuanceFilter, listIssuances } from './issuance-list-store.ts'
import { watchedIssuances } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import { rereadIssuance } from './reread-issuance.ts'
import { CreateIssuanceBody, IssuanceListQuery, IssuanceView } from './schemas.ts'
import type { WalletPort } from './wallet-port.ts'

const issuances = { group: 'creds', tag: 'issuances' } as const

const createWith = (deliveries: WalletPort) =>
  route({
    ...issuances,
    method: 'POST',
    path: '/credentials/issuance',
    summary:
      'Creates an issuance and returns the credential offer to show to the holder; with a recipient, delivers the credential to that user.',
    scope: 'issuance:write',
    body: CreateIssuanceBody,
    status: 200,
    reply: IssuanceView,
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
      if (recipient !== undefined) {
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
          (id) => createIssuance(platform, caller, ask, id),
        ),
      )
    },
  })

function listAt<const P extends string>(path: P): Route {
  return route({
    ...issuances,
    method: 'GET',
    path,
    summary: 'Lists the issuances of the tenant.',
    scope: 'issuance:read',
    query: IssuanceListQuery,
    status: 200,
    reply: Type.Array(IssuanceView),
    faults: [],
    handle: ({ platform, caller, query, href }) =>
      listPage(
        { query, href },
        (list) =>
          platform.store.single(caller.tenantId, (tx) =>
            listIssuances(tx, list, filterOf(query), platform.clock.now()),
          ),
        (row) => showIssuance(platform, caller, row),
      ),
  })
}

function getAt(path: '/credentials/{id}' | '/credentials/issuance/{id}'): Route {
  return route({
    ...issuances,
    method: 'GET',
    path,
    summary: 'Returns an issuance; with `Prefer: wait`, once it has changed.',
    longPoll: true,
    scope: 'issuance:read',
    params: IdParams,
    status: 200,
    reply: IssuanceView,
    faults: ['resource.unknown'],
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
  return route({
    ...issuances,
    method: 'DELETE',
    path,
    summary: 'Cancels an open issuance and erases its claims.',
    scope: 'issuance:write',
    params: IdParams,
    status: 200,
    reply: IssuanceView,
    faults: ['resource.unknown', 'state.invalid'],
    handle: async ({ platform, caller, params }) => answer(await cancelIssuance(platform, caller, params.id)),
  })
}

function filterOf(query: IssuanceListQuery): IssuanceFilter {
  const { createdAfter, createdBefore, ...filter } = filtersOf(query)
  return {
    ...filter,
    ...(createdAfter !== undefined && { createdAfter: new Date(createdAfter) }),
    ...(createdBefore !== undefined && { createdBefore: new Date(createdBefore) }),
  }
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
