import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { IssuanceView } from '../issuances/schemas.ts'
import { decideDeferral } from './decide-deferral.ts'

const deferrals = routeGroup({
  ...{ group: 'creds', tag: 'issuances', params: IdParams, reply: IssuanceView },
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

/** Decisions about deferred credentials, in our API. */
export const deferralRoutes: readonly Route[] = [
  deferrals.post('/credentials/{id}/approve', {
    summary:
      'Approves a credential that a wallet has asked for and whose template requires approval; the wallet gets it at its next poll.',
    faults: ['resource.unknown', 'state.invalid'],
    handle: async ({ platform, caller, params }) =>
      answer(await decideDeferral(platform, caller, params.id, 'approve')),
  }),
  deferrals.post('/credentials/{id}/deny', {
    summary: 'Denies such a credential, for good, and erases its claims; the wallet is told at its next poll.',
    faults: ['resource.unknown', 'state.invalid'],
    handle: async ({ platform, caller, params }) => answer(await decideDeferral(platform, caller, params.id, 'deny')),
  }),
]
