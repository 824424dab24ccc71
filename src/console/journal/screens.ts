import type { ReplyOf } from '../../contract/api-operation.ts'
import { events } from '../../contract/events/events.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import {
  actionNames,
  auditFilterForm,
  auditFilters,
  dayFields,
  eventFilters,
  eventNames,
  seldomEventFilters,
} from './filters.ts'
import { lookUpActor, lookUpSubject } from './look-up.ts'
import { type JournalTexts, journalTexts } from './texts.ts'
import { thing } from './thing.ts'
import { understood } from './understood.ts'

type Entry = ReplyOf<typeof events.listAudit>[number]

const [EVENTS, AUDIT] = ['/console/events', '/console/audit'] as const

const eventList = tableScreen({
  place: 'events',
  path: EVENTS,
  summary: 'Lists events.',
  operation: events.list,
  texts: ({ language }) => {
    const t = journalTexts[language]
    return { title: t.eventsTitle, counted: t.countedEvents }
  },
  filters: eventFilters,
  fields: dayFields,
  behind: seldomEventFilters,
  columns: (frame) => {
    const t = journalTexts[frame.language]
    const names = eventNames(frame.language)
    return [
      { heading: t.what, cell: ({ type }) => names[type] ?? type },
      { heading: t.about, cell: ({ subject }) => thing(frame.language, subject, EVENTS) },
      { heading: t.when, cell: ({ createdAt }) => when(frame, createdAt) },
    ]
  },
  none: ({ language }) => ({ fits: journalTexts[language].emptyFilter, empty: journalTexts[language].empty }),
})

const [BY, TO] = [
  { typed: 'who', linked: 'actor' },
  { typed: 'reference', linked: 'subject' },
] as const

async function lookUp(frame: Frame) {
  const looked = await Promise.all([lookUpActor(frame), lookUpSubject(frame)])
  return { looked, filters: auditFilters(frame, looked) }
}

const audit = screen({
  place: 'audit',
  path: AUDIT,
  summary: 'Lists who did what.',
  download: async (frame) => listOf(events.listAudit, { query: (await lookUp(frame)).filters }),
  show: async (frame) => {
    const { api, query, language } = frame
    const t = journalTexts[language]
    const { looked, filters } = await lookUp(frame)
    const [by, to] = looked
    const filter = auditFilterForm(frame, AUDIT)
    if (by.choices !== undefined || to.choices !== undefined) {
      const main = html`${filter}${understood(frame, BY, by, undefined)}${understood(frame, TO, to, undefined)}`
      return { title: t.audit, isEmpty: true, main }
    }
    const { data, links, meta } = await api.call(events.listAudit, {
      query: {
        ...filters,
        ...countedPageOf(query),
      },
    })
    const [first] = data
    const said = html`${understood(frame, BY, by, first?.actor.name ?? undefined)}
    ${understood(frame, TO, to, first?.subject.name ?? undefined)}`
    const list =
      data.length === 0
        ? emptyList(frame, { isFiltered: true, fits: t.emptyFilter, empty: t.empty })
        : table(t.audit, auditColumns(frame, t), data)
    return {
      title: t.audit,
      isEmpty: data.length === 0,
      listed: listOf(events.listAudit, { query: filters }),
      main: html`${filter}${said}${totalLine(frame, meta, t.counted)}${list}${pager(frame.texts, links, frame.here)}`,
    }
  },
})

function auditColumns(frame: Frame, t: JournalTexts) {
  const names = actionNames(frame.language)
  return [
    { heading: t.what, cell: ({ action }: Entry) => names[action] ?? html`<code>${action}</code>` },
    { heading: t.who, cell: (entry: Entry) => actor(t, entry) },
    { heading: t.about, cell: ({ subject }: Entry) => thing(frame.language, subject, AUDIT) },
    { heading: t.result, cell: ({ result }: Entry) => badge(t.results[result], result === 'done' ? 'ok' : 'bad') },
    { heading: t.when, cell: ({ createdAt }: Entry) => when(frame, createdAt) },
  ]
}

/** Who did it, with the way to everything that they did; through which application, and from where. */
function actor(t: JournalTexts, { actor: { kind, id, name, actingClientId }, ip, names }: Entry): Html {
  const kindText = t.actors[kind]
  // The id of an application is a name; that of a person is not.
  const known = name ?? (kind === 'client' ? id : null)
  const called = known === null ? html`${kindText}` : foreign(known)
  const link = id === null ? called : html`<a href="${`${AUDIT}?actor=${encodeURIComponent(id)}`}">${called}</a>`
  const through =
    actingClientId == null ? null : html`${t.through} ${foreign(names?.[actingClientId] ?? actingClientId)}`
  const about = [known !== null && html`${kindText}`, through, ip !== null && html`${ip}`].filter(
    (one) => one !== null && one !== false,
  )
  return html`${link}${about.map((one) => html`<br><span class="hint">${one}</span>`)}`
}

/** What happened: events, and the audit trail. */
export const journalScreens: readonly Endpoint[] = [...eventList, ...audit]
