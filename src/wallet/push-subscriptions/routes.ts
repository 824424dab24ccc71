import { pushSubscriptions } from '../../contract/wallet/push-subscriptions.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { publicKeyOf } from '../push/send-push.ts'
import { listOwnSubscriptions, subscribe, unsubscribe } from './subscribe.ts'

const listRoute = serve(pushSubscriptions.list, async ({ platform, caller }) => {
  const applicationServerKey = publicKeyOf(platform.config)
  const meta = applicationServerKey === null ? {} : { applicationServerKey }
  return answer(await listOwnSubscriptions(platform, caller), { meta })
})

const subscribeRoute = serve(pushSubscriptions.subscribe, async ({ platform, caller, body, operation, headers }) => {
  const about = { id: operation.newId(), acceptLanguage: headers['accept-language'] }
  return answer(await subscribe(platform, caller, body, about))
})

const unsubscribeRoute = serve(pushSubscriptions.unsubscribe, async ({ platform, caller, params }) => {
  await unsubscribe(platform, caller, params.id)
  return answer(undefined)
})

/** Messages to the browsers of a holder, in our API. */
export const pushRoutes: readonly Route[] = [listRoute, subscribeRoute, unsubscribeRoute]
