import { Type } from 'typebox'
import { listPage, listQuery, PageMeta } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { EventReply, showEvent } from '../../events/stream/event.ts'
import { openEventStream } from '../../events/stream/event-stream.ts'
import { listEvents } from '../../events/stream/list-events.ts'
import { answer, type Route, rawAnswer } from '../../http/routes/route.ts'
import { holderOf } from '../credentials/holder.ts'
import { deleteEverything } from './delete-everything.ts'
import { exportEverything } from './export-everything.ts'
import { WalletExport } from './schemas.ts'

const STREAM = 'text/event-stream'

const wallet = routeGroup({
  ...{ group: 'wallet', tag: 'history', faults: ['holder.missing'] },
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

const eventsRoute = wallet.get('/v2/events', {
  operationId: 'listOwnEvents',
  summary:
    "Lists the caller's own events: what was delivered to the wallet, and what issuers changed; with `Accept: text/event-stream` streams them.",
  query: listQuery(),
  reply: Type.Array(EventReply),
  meta: PageMeta,
  streams: EventReply,
  faults: ['request.rate_limited'],
  produces: [STREAM],
  handle: async ({ platform, caller, query, href, headers, responseType }) => {
    const filter = { types: null, subject: null, userId: holderOf(caller) }
    if (responseType !== STREAM)
      return listPage({ query, href }, (list) => listEvents(platform, caller, list, filter), showEvent)
    const stream = await openEventStream(platform, caller, filter, headers['last-event-id'])
    // Turns off the response buffering of reverse proxies.
    return rawAnswer(STREAM, stream, { headers: { 'x-accel-buffering': 'no' } })
  },
})

const exportRoute = wallet.get('/v2/data', {
  operationId: 'exportWallet',
  summary:
    'Returns everything in the wallet except private keys: credentials as they were issued, the history, and browsers that are sent messages.',
  reply: WalletExport,
  handle: ({ platform, caller, headers }) => exportEverything(platform, caller, headers['accept-language']),
})

const deleteRoute = wallet.delete('/v2/data', {
  operationId: 'deleteWalletData',
  summary:
    'Deletes everything in the wallet: credentials with their keys, requests, the history, and the subscriptions of browsers. This is final.',
  reply: undefined,
  handle: async ({ platform, caller }) => {
    await deleteEverything(platform, caller)
    return answer(undefined)
  },
})

/** A person's own data as a whole, in our API. */
export const ownDataRoutes: readonly Route[] = [eventsRoute, exportRoute, deleteRoute]
