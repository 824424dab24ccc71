import { Type } from 'typebox'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { offerFaults, previewFaults } from '../credentials/refusals.ts'
import { Credential } from '../credentials/schemas.ts'
import { acceptOffer } from './accept-offer.ts'
import { resolveOffer } from './resolve-offer.ts'
import { OfferBody, ResolveBody, ResolvedOffer } from './schemas.ts'

const base = { group: 'wallet', tag: 'credentials' } as const

const acceptRoute = route({
  ...base,
  method: 'POST',
  path: '/v2/credentials',
  summary: 'Redeems a credential offer, verifies the credentials and adds them to the wallet as pending.',
  scope: 'wallet:write',
  body: OfferBody,
  status: 201,
  reply: Type.Array(Credential),
  faults: ['holder.missing', ...offerFaults],
  handle: async ({ platform, caller, body, operation }) => {
    const { credentials, ...lists } = await acceptOffer(platform, caller, body, operation.isRepeated)
    const meta = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
    return answer([...credentials], Object.keys(meta).length === 0 ? {} : { meta })
  },
})

const resolveRoute = route({
  ...base,
  method: 'POST',
  path: '/v2/credential-offers/resolve',
  summary: 'Returns a preview of a credential offer, without consuming it.',
  scope: 'wallet:read',
  body: ResolveBody,
  status: 200,
  reply: ResolvedOffer,
  faults: ['holder.missing', ...previewFaults],
  handle: async ({ platform, caller, body }) => answer(await resolveOffer(platform, caller, body.credentialOffer)),
})

/** Credential offers, in our API. */
export const offerRoutes: readonly Route[] = [acceptRoute, resolveRoute]
