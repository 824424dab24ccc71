import { Type } from 'typebox'
import { routeGroup } from '../../api/route-group.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { offerFaults, previewFaults } from '../credentials/refusals.ts'
import { Credential } from '../credentials/schemas.ts'
import { acceptOffer } from './accept-offer.ts'
import { resolveOffer } from './resolve-offer.ts'
import { AcceptedMeta, OfferBody, ResolveBody, ResolvedMeta, ResolvedOffer } from './schemas.ts'

const offers = routeGroup({ group: 'wallet', tag: 'credentials', scope: 'wallet:write', faults: ['holder.missing'] })

const acceptRoute = offers.post('/v2/credentials', {
  operationId: 'acceptCredentialOffer',
  summary: 'Redeems a credential offer, verifies the credentials and adds them to the wallet as pending.',
  body: OfferBody,
  status: 201,
  reply: Type.Array(Credential),
  meta: AcceptedMeta,
  faults: offerFaults,
  handle: async ({ platform, caller, body, operation, headers }) => {
    const again = { isRepeated: operation.isRepeated, languages: headers['accept-language'] }
    const { credentials, ...lists } = await acceptOffer(platform, caller, body, again)
    const meta = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
    return answer([...credentials], Object.keys(meta).length === 0 ? {} : { meta })
  },
})

const resolveRoute = offers.post('/v2/credential-offers/resolve', {
  operationId: 'resolveCredentialOffer',
  summary: 'Returns a preview of a credential offer, without consuming it.',
  scope: 'wallet:read',
  body: ResolveBody,
  reply: ResolvedOffer,
  meta: ResolvedMeta,
  faults: previewFaults,
  handle: async ({ platform, caller, body, headers }) => {
    const { meta, ...offer } = await resolveOffer(platform, caller, body.credentialOffer, headers['accept-language'])
    return answer(offer, { meta })
  },
})

/** Credential offers, in our API. */
export const offerRoutes: readonly Route[] = [acceptRoute, resolveRoute]
