import { offers } from '../../contract/wallet/offers.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { acceptOffer } from './accept-offer.ts'
import { resolveOffer } from './resolve-offer.ts'

const acceptRoute = serve(offers.accept, async ({ platform, caller, body, operation, headers }) => {
  const again = { isRepeated: operation.isRepeated, languages: headers['accept-language'] }
  const { credentials, ...lists } = await acceptOffer(platform, caller, body, again)
  const meta = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
  return answer([...credentials], Object.keys(meta).length === 0 ? {} : { meta })
})

const resolveRoute = serve(offers.resolve, async ({ platform, caller, body, headers }) => {
  const { meta, ...offer } = await resolveOffer(platform, caller, body.credentialOffer, headers['accept-language'])
  return answer(offer, { meta })
})

/** Credential offers, in our API. */
export const offerRoutes: readonly Route[] = [acceptRoute, resolveRoute]
