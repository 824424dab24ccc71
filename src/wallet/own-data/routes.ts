import { listPage } from '../../api/list.ts'
import { EVENT_STREAM } from '../../contract/media-types.ts'
import { ownData } from '../../contract/wallet/whole-wallet.ts'
import { showEvent } from '../../events/stream/event.ts'
import { openEventStream } from '../../events/stream/event-stream.ts'
import { listEvents } from '../../events/stream/list-events.ts'
import { answer, type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import { holderOf } from '../credentials/holder.ts'
import { deleteEverything } from './delete-everything.ts'
import { exportEverything } from './export-everything.ts'

const eventsRoute = serve(ownData.listEvents, async ({ platform, caller, query, href, headers, responseType }) => {
  const filter = { types: null, subject: null, userId: holderOf(caller) }
  if (responseType !== EVENT_STREAM)
    return listPage({ query, href }, (list) => listEvents(platform, caller, list, filter), showEvent)
  const stream = await openEventStream(platform, caller, filter, headers['last-event-id'])
  // Turns off the response buffering of reverse proxies.
  return rawAnswer(EVENT_STREAM, stream, { headers: { 'x-accel-buffering': 'no' } })
})

const exportRoute = serve(ownData.export, ({ platform, caller, headers }) =>
  exportEverything(platform, caller, headers['accept-language']),
)

const deleteRoute = serve(ownData.delete, async ({ platform, caller }) => {
  await deleteEverything(platform, caller)
  return answer(undefined)
})

/** A person's own data as a whole, in our API. */
export const ownDataRoutes: readonly Route[] = [eventsRoute, exportRoute, deleteRoute]
