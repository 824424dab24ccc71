import { Type } from 'typebox'
import { listAnswer, listQuery, parseListQuery } from '../../api/list.ts'
import { Fault } from '../../fault.ts'
import { type Route, rawAnswer, route } from '../../http/routes/route.ts'
import { AuditEntryReply, AuditListQuery, listAudit, showAuditEntry } from '../audit/list-audit.ts'
import { publicEvents } from '../audit/vocabulary.ts'
import { EventReply, showEvent } from './event.ts'
import { openEventStream } from './event-stream.ts'
import { listEvents } from './list-events.ts'

const STREAM = 'text/event-stream'

const EventListQuery = listQuery({
  filters: {
    type: Type.Enum([...publicEvents]),
    subject: Type.String({
      ...{ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' },
      description: 'The id of what it happened to.',
    }),
  },
})

const eventsRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/events',
  tag: 'events',
  summary:
    'Lists what happened; with `Accept: text/event-stream` it goes on telling, from `Last-Event-ID` if that is sent.',
  // Who may have events sent may read them too.
  scope: 'webhooks:write',
  query: EventListQuery,
  status: 200,
  reply: Type.Array(EventReply),
  faults: ['request.rate_limited'],
  produces: [STREAM],
  handle: async ({ platform, caller, query, href, headers, responseType: wants }) => {
    const filter = { type: query['filter[type]'] ?? null, subject: query['filter[subject]'] ?? null }
    if (wants === STREAM) {
      refusePaging(query)
      const stream = await openEventStream(platform, caller, filter, headers['last-event-id'])
      // Proxies that would collect an answer before they pass it on let this one through.
      return rawAnswer(STREAM, stream, { headers: { 'x-accel-buffering': 'no' } })
    }
    const list = parseListQuery(query)
    return listAnswer(await listEvents(platform, caller, list, filter), { href, query, list }, showEvent)
  },
})

const auditRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/audit',
  tag: 'events',
  summary:
    'Lists who did what, on what, when, from where and with which result. What is written there cannot be changed.',
  scope: 'audit:read',
  query: AuditListQuery,
  status: 200,
  reply: Type.Array(AuditEntryReply),
  faults: [],
  handle: async ({ platform, caller, query, href }) => {
    const list = parseListQuery(query)
    return listAnswer(await listAudit(platform, caller, list, query), { href, query, list }, showAuditEntry)
  },
})

/** What happened, for programs and for people. */
export const eventRoutes: readonly Route[] = [eventsRoute, auditRoute]

/** A stream has no pages: it begins behind `Last-Event-ID`, or now. */
function refusePaging(query: object): void {
  const found = Object.keys(query).filter((name) => !name.startsWith('filter['))
  if (found.length === 0) return
  const detail = 'A stream has no pages and one order.'
  throw new Fault('request.invalid', { violations: found.map((parameter) => ({ detail, parameter })) })
}
