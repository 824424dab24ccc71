import { conditionalAnswer } from '../../api/held-answer.ts'
import { filtersOf } from '../../api/list.ts'
import { serveList } from '../../api/serve-list.ts'
import { type IssuanceListQuery, type IssuanceView, issuances } from '../../contract/issuance/issuances.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { offerAgain } from '../mails/offer-again.ts'
import { checkMail } from '../mails/offer-mail.ts'
import { grantsOfOffer } from '../offers/offer-grants.ts'
import { recordLook } from '../offers/offer-looks.ts'
import { cancelIssuance } from './cancel-issuance.ts'
import { createAndDeliver } from './create-and-deliver.ts'
import { createIssuance } from './create-issuance.ts'
import { getIssuance, listIssuancePage } from './get-issuance.ts'
import { watchedIssuances } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import type { ReplacementPort } from './replacement-port.ts'
import { rereadIssuance } from './reread-issuance.ts'
import type { WalletPort } from './wallet-port.ts'

const createWith = (deliveries: WalletPort, replacements: ReplacementPort) =>
  serve(issuances.create, async ({ platform, caller, body, operation }) => {
    const { recipient, ...ask } = body
    const grants = await grantsOfOffer(platform, caller.tenantId, body)
    const isDelivered = recipient !== undefined && !grants.includes('authorization_code')
    checkMail(platform.config, { mail: body.mail, isDelivered })
    // A repetition finds the issuance, and what it replaces is replaced already.
    const plan = () => replacements.plan(platform, caller, body)
    if (recipient !== undefined && isDelivered) {
      const asked = { ...ask, recipient, plan }
      const { issuance, delivery } = await createAndDeliver(platform, deliveries, caller, asked, operation)
      if (body.replaces !== undefined) await replacements.settle(platform, caller, issuance.id)
      return answer(issuance, delivery === null ? {} : { meta: { delivery } })
    }
    const issuance = await once(
      operation,
      (id) => rereadIssuance(platform, caller, id),
      async (id) =>
        createIssuance(platform, caller, { ...body, grants }, id, { delivery: null, replacement: await plan() }),
    )
    if (body.replaces !== undefined) await replacements.settle(platform, caller, issuance.id)
    return answer(issuance)
  })

const listRoute = (operation: typeof issuances.list | typeof issuances.listAtIssuancePath) =>
  serveList(operation, {
    read: async ({ platform, caller, query }, list) => {
      const found = await listIssuancePage(platform, caller, list, filterOf(query))
      const ids = found.filter(({ status }) => status === 'offered').map(({ id }) => id)
      await recordLook(platform, caller, { kind: 'issuance', ids })
      return found
    },
    show: (row, { platform, caller }) => showIssuance(platform, caller, row),
  })

function filterOf(query: IssuanceListQuery) {
  const { createdAfter, createdBefore, validBefore, validAfter, ...filter } = filtersOf(query)
  const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  return {
    ...filter,
    reference: query['filter[reference]'],
    referencePrefix: query['search[reference]'],
    createdAfter: time(createdAfter),
    createdBefore: time(createdBefore),
    validBefore: time(validBefore),
    validAfter: time(validAfter),
  }
}

const getRoute = (operation: typeof issuances.get | typeof issuances.getAtIssuancePath) =>
  serve(operation, ({ platform, caller, params, headers }) => {
    const read = async () => {
      const issuance = await getIssuance(platform, caller, params.id)
      if (issuance.status === 'offered') await recordLook(platform, caller, { kind: 'issuance', ids: [params.id] })
      return issuance
    }
    const isFinal = ({ status }: IssuanceView) => status !== 'offered' && status !== 'partiallyIssued'
    return conditionalAnswer({ platform, caller, headers }, { watched: watchedIssuances, id: params.id, read, isFinal })
  })

const cancelRoute = (operation: typeof issuances.cancel | typeof issuances.cancelAtIssuancePath) =>
  serve(operation, async ({ platform, caller, params }) => answer(await cancelIssuance(platform, caller, params.id)))

const offerRoute = (operation: typeof issuances.renewOffer | typeof issuances.renewOfferAtIssuancePath) =>
  serve(operation, async ({ platform, caller, params, body }) => {
    await offerAgain(platform, caller, params.id, body)
    return answer(await rereadIssuance(platform, caller, params.id))
  })

/**
 * Issuances, in our API.
 *
 * @param deliveries Delivers credentials to the wallets of the tenant's users.
 * @param replacements Lets a credential take the place of another one.
 */
export const issuanceRoutes = (deliveries: WalletPort, replacements: ReplacementPort): readonly Route[] => [
  createWith(deliveries, replacements),
  listRoute(issuances.listAtIssuancePath),
  listRoute(issuances.list),
  getRoute(issuances.getAtIssuancePath),
  getRoute(issuances.get),
  cancelRoute(issuances.cancelAtIssuancePath),
  cancelRoute(issuances.cancel),
  offerRoute(issuances.renewOfferAtIssuancePath),
  offerRoute(issuances.renewOffer),
]
