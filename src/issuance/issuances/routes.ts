import { Type } from 'typebox'
import { exportList, exportTypes, isExport } from '../../api/export-list.ts'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, type ListRequest, listPage, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { offerAgain } from '../mails/offer-again.ts'
import { checkMail } from '../mails/offer-mail.ts'
import { grantsOfOffer } from '../offers/offer-grants.ts'
import { recordLook } from '../offers/offer-looks.ts'
import { cancelIssuance } from './cancel-issuance.ts'
import { createAndDeliver } from './create-and-deliver.ts'
import { createIssuance } from './create-issuance.ts'
import { getIssuance, listIssuancePage } from './get-issuance.ts'
import type { ShownIssuance } from './issuance.ts'
import { watchedIssuances } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import { rereadIssuance } from './reread-issuance.ts'
import { CreateIssuanceBody, IssuanceListQuery, IssuanceView, OfferAgainBody } from './schemas.ts'
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
      const isDelivered = recipient !== undefined && !grants.includes('authorization_code')
      checkMail(platform.config, { mail: body.mail, isDelivered })
      if (recipient !== undefined && isDelivered) {
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

/** The operations stand at two paths; the longer one is that of the contract for POST. */
function named(operationId: string, path: string): string {
  return path.startsWith('/credentials/issuance') ? `${operationId}AtIssuancePath` : operationId
}

function listAt(path: '/credentials' | '/credentials/issuance'): Route {
  return issuances.get(path, {
    operationId: named('listIssuances', path),
    summary: 'Lists the issuances of the tenant.',
    query: IssuanceListQuery,
    reply: Type.Array(IssuanceView),
    meta: PageMeta,
    produces: exportTypes,
    handle: async ({ platform, caller, query, href, responseType }) => {
      const read = async (list: ListRequest) => {
        const found = await listIssuancePage(platform, caller, list, filterOf(query))
        const ids = found.filter(({ status }) => status === 'offered').map(({ id }) => id)
        await recordLook(platform, caller, { kind: 'issuance', ids })
        return found
      }
      const show = (row: ShownIssuance) => showIssuance(platform, caller, row)
      if (isExport(responseType))
        return exportList(responseType, parseListQuery(query), { read, show, reply: IssuanceView })
      return listPage({ query, href }, read, show)
    },
  })
}

function filterOf(query: IssuanceListQuery) {
  const { createdAfter, createdBefore, validBefore, ...filter } = filtersOf(query)
  const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  return {
    ...{ ...filter, reference: query['filter[reference]'], referencePrefix: query['search[reference]'] },
    ...{ createdAfter: time(createdAfter), createdBefore: time(createdBefore), validBefore: time(validBefore) },
  }
}

function getAt(path: '/credentials/{id}' | '/credentials/issuance/{id}'): Route {
  return issuances.get(path, {
    operationId: named('getIssuance', path),
    summary: 'Returns an issuance; with `Prefer: wait`, once it has changed.',
    longPoll: true,
    handle: ({ platform, caller, params, headers }) =>
      conditionalAnswer(
        { platform, caller, headers },
        {
          watched: watchedIssuances,
          id: params.id,
          read: async () => {
            const issuance = await getIssuance(platform, caller, params.id)
            if (issuance.status === 'offered')
              await recordLook(platform, caller, { kind: 'issuance', ids: [params.id] })
            return issuance
          },
          isFinal: ({ status }) => status !== 'offered' && status !== 'partiallyIssued',
        },
      ),
  })
}

function cancelAt(path: '/credentials/{id}' | '/credentials/issuance/{id}'): Route {
  return issuances.delete(path, {
    operationId: named('cancelIssuance', path),
    summary: 'Cancels an open issuance and erases its claims.',
    faults: ['state.invalid'],
    handle: async ({ platform, caller, params }) => answer(await cancelIssuance(platform, caller, params.id)),
  })
}

function offerAt(path: '/credentials/{id}/offer' | '/credentials/issuance/{id}/offer'): Route {
  return issuances.post(path, {
    operationId: named('renewOffer', path),
    summary:
      'Offers a credential again under the same link, while its claims are kept; returns the transaction code again. An access token for it is revoked.',
    body: OfferAgainBody,
    faults: ['state.invalid'],
    handle: async ({ platform, caller, params, body }) => {
      await offerAgain(platform, caller, params.id, body)
      return answer(await rereadIssuance(platform, caller, params.id))
    },
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
  offerAt('/credentials/issuance/{id}/offer'),
  offerAt('/credentials/{id}/offer'),
]
