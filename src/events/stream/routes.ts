import { Type } from 'typebox'
import { exportList, exportTypes, isExport } from '../../api/export-list.ts'
import { type ListRequest, listPage, listQuery, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { holds, type Scope } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { type Route, rawAnswer } from '../../http/routes/route.ts'
import { AuditEntryReply, AuditListQuery, listAudit, showAuditEntry } from '../audit/list-audit.ts'
import { type FindNames, type NameSource, nameFinder } from '../audit/names.ts'
import { publicEvents } from '../audit/vocabulary.ts'
import { EventReply, idsOfEvent, showNamedEvent } from './event.ts'
import { openEventStream } from './event-stream.ts'
import { listEvents } from './list-events.ts'

const STREAM = 'text/event-stream'

const ANY_TYPE = publicEvents.map((one) => one.replaceAll('.', '\\.')).join('|')
const Time = Type.String({ format: 'date-time' })

const EventListQuery = listQuery({
  filters: {
    type: Type.String({
      pattern: `^(${ANY_TYPE})(,(${ANY_TYPE}))*$`,
      maxLength: 1000,
      description: 'The event type, or several separated by commas.',
      documentedAs: { type: 'array', minItems: 1, items: { enum: [...publicEvents] } },
    }),
    subject: Type.String({
      ...{ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' },
      description: 'The id of the subject.',
    }),
    createdAfter: Time,
    createdBefore: Time,
  },
})

const events = routeGroup({ group: 'creds', tag: 'events', scope: 'events:read' })

const eventsRoute = (findNames: FindNames) =>
  events.get('/events', {
    summary:
      'Lists events; with `Accept: text/event-stream` streams them, starting after `Last-Event-ID` if it is sent.',
    query: EventListQuery,
    reply: Type.Array(EventReply),
    meta: PageMeta,
    streams: EventReply,
    faults: ['request.rate_limited'],
    produces: [STREAM, ...exportTypes],
    handle: async ({ platform, caller, query, href, headers, responseType }) => {
      const filter = {
        types: query['filter[type]']?.split(',') ?? null,
        subject: query['filter[subject]'] ?? null,
        createdAfter: query['filter[createdAfter]'] ?? null,
        createdBefore: query['filter[createdBefore]'] ?? null,
      }
      if (responseType === STREAM) {
        refusePaging(query)
        const stream = await openEventStream(platform, caller, filter, headers['last-event-id'])
        // Turns off the response buffering of reverse proxies.
        return rawAnswer(STREAM, stream, { headers: { 'x-accel-buffering': 'no' } })
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
    },
  })

const auditRoute = (findNames: FindNames) =>
  events.list('/audit', {
    summary: 'Lists audit entries: actor, action, subject, time, IP address and result. Entries cannot be changed.',
    scope: 'audit:read',
    query: AuditListQuery,
    reply: AuditEntryReply,
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
