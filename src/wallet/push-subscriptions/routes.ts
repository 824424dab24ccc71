import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { publicKeyOf } from '../push/send-push.ts'
import { PushMeta, PushSubscriptionBody, PushSubscriptionReply } from './schemas.ts'
import { listOwnSubscriptions, subscribe, unsubscribe } from './subscribe.ts'

const push = routeGroup({
  ...{ group: 'wallet', tag: 'push', path: '/v2/push-subscriptions', params: IdParams },
  ...{ reply: PushSubscriptionReply, faults: ['holder.missing'] },
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

const listRoute = push.get('', {
  operationId: 'listPushSubscriptions',
  summary: "Lists the caller's browsers that are sent a message when something waits, at most 10, the newest first.",
  reply: Type.Array(PushSubscriptionReply),
  meta: PushMeta,
  handle: async ({ platform, caller }) => {
    const applicationServerKey = publicKeyOf(platform.config)
    const meta = applicationServerKey === null ? {} : { applicationServerKey }
    return answer(await listOwnSubscriptions(platform, caller), { meta })
  },
})

const subscribeRoute = push.post('', {
  operationId: 'createPushSubscription',
  summary:
    'Sends a message to a browser when an offer or a request waits, or the status of a credential changed. The message says nothing of either.',
  body: PushSubscriptionBody,
  status: 201,
  faults: ['push.off', 'request.invalid', 'encoding.invalid'],
  handle: async ({ platform, caller, body, operation, headers }) => {
    const about = { id: operation.newId(), acceptLanguage: headers['accept-language'] }
    return answer(await subscribe(platform, caller, body, about))
  },
})

const unsubscribeRoute = push.delete('/{id}', {
  operationId: 'deletePushSubscription',
  summary: 'Ends the messages to a browser.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
    await unsubscribe(platform, caller, params.id)
    return answer(undefined)
  },
})

/** Messages to the browsers of a holder, in our API. */
export const pushRoutes: readonly Route[] = [listRoute, subscribeRoute, unsubscribeRoute]
