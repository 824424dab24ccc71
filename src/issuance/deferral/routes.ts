import { deferrals } from '../../contract/issuance/deferrals.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { decideDeferral } from './decide-deferral.ts'
/** Decisions about deferred credentials, in our API. */
export const deferralRoutes: readonly Route[] = [
  serve(deferrals.approve, async ({ platform, caller, params }) =>
    answer(await decideDeferral(platform, caller, params.id, 'approve')),
  ),
  serve(deferrals.deny, async ({ platform, caller, params }) =>
    answer(await decideDeferral(platform, caller, params.id, 'deny')),
  ),
]
