import { exportList, isExport } from '../../api/export-list.ts'
import { type ListRequest, listPage, parseListQuery } from '../../api/list.ts'
import { serveList } from '../../api/serve-list.ts'
import { holds, type Scope } from '../../caller.ts'
import { EventReply, events } from '../../contract/events/events.ts'
import { EVENT_STREAM } from '../../contract/media-types.ts'
import { Fault } from '../../fault.ts'
import { type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import { listAudit, showAuditEntry } from '../audit/list-audit.ts'
import { type FindNames, type NameSource, nameFinder } from '../audit/names.ts'
import { idsOfEvent, showNamedEvent } from './event.ts'
import { openEventStream } from './event-stream.ts'
import { listEvents } from './list-events.ts'

const eventsRoute = (findNames: FindNames) =>
  serve(events.list, async ({ platform, caller, query, href, headers, responseType }) => {
    const filter = {
      types: query['filter[type]']?.split(',') ?? null,
      subject: query['filter[subject]'] ?? null,
      createdAfter: query['filter[createdAfter]'] ?? null,
      createdBefore: query['filter[createdBefore]'] ?? null,
    }
    if (responseType === EVENT_STREAM) {
      refusePaging(query)
      const stream = await openEventStream(platform, caller, filter, headers['last-event-id'])
      // Turns off the response buffering of reverse proxies.
      return rawAnswer(EVENT_STREAM, stream, { headers: { 'x-accel-buffering': 'no' } })
    }
    const read = async (list: ListRequest) => {
      const rows = await listEvents(platform, caller, list, filter)
      const may = (scope: Scope) => holds(caller, scope)
      const names = await platform.store.single(caller.tenantId, (tx) => findNames(tx, rows.flatMap(idsOfEvent), may))
      return rows.map((row) => ({ ...row, names }))
    }
    if (isExport(responseType))
      return exportList(responseType, parseListQuery(query), { read, show: showNamedEvent, reply: EventReply })
    return listPage({ query, href }, read, showNamedEvent)
  })

const auditRoute = (findNames: FindNames) =>
  serveList(events.listAudit, {
    read: ({ platform, caller }, list, filters) => listAudit(platform, caller, list, filters, findNames),
    show: showAuditEntry,
  })

/** The operations on events and the audit trail. @param names How objects are named in their lists. */
export function eventRoutes(names: readonly NameSource[]): readonly Route[] {
  const findNames = nameFinder(names)
  return [eventsRoute(findNames), auditRoute(findNames)]
}

/** Refuses paging and sorting of a stream: it starts after `Last-Event-ID`, or now. */
function refusePaging(query: object): void {
  const found = Object.keys(query).filter((name) => !name.startsWith('filter['))
  if (found.length === 0) return
  const detail = 'An event stream has no paging and no sort order.'
  throw new Fault('request.invalid', { violations: found.map((parameter) => ({ detail, parameter })) })
}
