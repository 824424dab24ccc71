import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import { badge, pageOf, pager, table } from '../../pages/table.ts'
import { dayEnd, dayStart } from '../frame/form-values.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { type JournalTexts, journalTexts } from './texts.ts'

type Asked = Pick<Frame, 'query' | 'me'>
/** `name`: what people call it, where the API knows. */
type Thing = { readonly kind: string; readonly id: string | null; readonly name?: string | null }
type Event = { readonly id: string; readonly type: string; readonly createdAt: string; readonly subject: Thing }
type Entry = {
  readonly id: string
  readonly createdAt: string
  readonly action: string
  readonly actor: {
    readonly kind: keyof JournalTexts['actors']
    readonly id: string | null
    readonly name?: string | null
  }
  readonly subject: Thing
  readonly result: 'done' | 'refused'
  readonly ip: string | null
}

const events = screen({
  ...{ place: 'events', path: '/console/events', summary: 'Lists events.' },
  download: (frame) => ({ path: '/creds/events', query: eventFilters(frame) }),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = journalTexts[language]
    const filters = eventFilters(frame)
    const { data, links } = await api.get<readonly Event[]>('/creds/events', { ...filters, ...pageOf(query) })
    const kinds = Object.entries(t.events).map(([value, text]) => ({ value, text }))
    const choices = [{ value: '', text: common.all }, ...kinds]
    const filter = html`<form class="filter" method="get" action="/console/events">${select(frame, { name: 'type', label: t.kind, value: query.type ?? '', choices })}${days(frame, t)}${query.subject !== undefined && field(frame, { name: 'subject', label: t.subject, value: query.subject })}${button(common.filter)}</form>`
    const columns = [
      { heading: t.what, cell: ({ type }: Event) => t.events[type] ?? type },
      { heading: t.about, cell: ({ subject }: Event) => thing(subject) },
      { heading: t.when, cell: ({ createdAt }: Event) => when(frame, createdAt) },
    ]
    const isFiltered = Object.values(filters).some(Boolean)
    const list = data.length === 0 ? none(isFiltered ? t.emptyFilter : t.empty) : table(t.eventsTitle, columns, data)
    return {
      title: t.eventsTitle,
      isEmpty: data.length === 0,
      main: html`${(isFiltered || data.length > 0) && filter}${list}${pager(texts, links, frame.here)}`,
    }
  },
})

const audit = screen({
  ...{ place: 'audit', path: '/console/audit', summary: 'Lists who did what.' },
  download: (frame) => ({ path: '/creds/audit', query: auditFilters(frame) }),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = journalTexts[language]
    const filters = auditFilters(frame)
    const { data, links } = await api.get<readonly Entry[]>('/creds/audit', { ...filters, ...pageOf(query) })
    const results = [
      { value: '', text: common.all },
      ...Object.entries(t.results).map(([value, text]) => ({ value, text })),
    ]
    const given = (name: string) => ({ name, value: query[name] ?? '' })
    const filter = html`<form class="filter" method="get" action="/console/audit">${field(frame, { ...given('action'), label: t.action })}${field(frame, { ...given('actor'), label: t.actor })}${field(frame, { ...given('subject'), label: t.subject })}${select(frame, { ...given('result'), label: t.result, choices: results })}${days(frame, t)}${button(common.filter)}</form>`
    const columns = [
      { heading: t.what, cell: ({ action }: Entry) => html`<code>${action}</code>` },
      {
        heading: t.who,
        cell: ({ actor, ip }: Entry) =>
          html`${actor.name == null ? t.actors[actor.kind] : foreign(actor.name)}${actor.id !== null && html`<br><code>${actor.id}</code>`}${ip !== null && html`<br><span class="hint">${ip}</span>`}`,
      },
      { heading: t.about, cell: ({ subject }: Entry) => thing(subject) },
      { heading: t.result, cell: ({ result }: Entry) => badge(t.results[result], result === 'done' ? 'ok' : 'bad') },
      { heading: t.when, cell: ({ createdAt }: Entry) => when(frame, createdAt) },
    ]
    const list = data.length === 0 ? none(t.emptyFilter) : table(t.audit, columns, data)
    return {
      title: t.audit,
      isEmpty: data.length === 0,
      main: html`${filter}${list}${pager(texts, links, frame.here)}`,
    }
  },
})

function eventFilters({ query, me }: Asked): Record<string, string | undefined> {
  return { 'filter[type]': query.type, 'filter[subject]': query.subject?.trim(), ...daysIn({ query, me }) }
}

function auditFilters({ query, me }: Asked): Record<string, string | undefined> {
  const filters = ['action', 'actor', 'subject', 'result'].map((name) => [`filter[${name}]`, query[name]?.trim()])
  return { ...Object.fromEntries(filters), ...daysIn({ query, me }) }
}

function daysIn({ query: { from, until }, me }: Asked): Record<string, string | undefined> {
  return { 'filter[createdAfter]': dayStart(from, { me }), 'filter[createdBefore]': dayEnd(until, { me }) }
}

function days(frame: Frame, t: JournalTexts): Html {
  const day = (name: 'from' | 'until') =>
    field(frame, { name, label: t[name], type: 'date', value: frame.query[name] ?? '' })
  return html`${day('from')}${day('until')}`
}

function none(text: string): Html {
  return html`<div class="empty"><p>${text}</p></div>`
}

/** Where the screens show a thing of a kind. */
const places: Readonly<Record<string, string>> = {
  ...{ issuance: 'credentials', credential_template: 'templates', presentation_template: 'requests' },
  ...{
    presentation_request: 'verify',
    certificate: 'certificates',
    trusted_entity: 'trusted',
    issuance_batch: 'batches',
  },
  ...{ webhook_endpoint: 'webhooks', client: 'applications', certificate_signing_request: 'certificates/csrs' },
}

/** What it is called, or its id; a link where there is a screen for it. */
function thing({ kind, id, name }: Thing): Html {
  const what = kind.replaceAll('_', ' ')
  const place = places[kind]
  const called = name == null ? null : foreign(name)
  if (id === null) return html`${called ?? what}`
  if (place !== undefined)
    return html`<a href="/console/${place}/${encodeURIComponent(id)}">${called ?? what}</a>${called !== null && html`<br><span class="hint">${what}</span>`}`
  return called === null ? html`${what}<br><code>${id}</code>` : html`${called}<br><span class="hint">${what}</span>`
}

/** What happened: events, and the audit trail. */
export const journalScreens: readonly Endpoint[] = [...events, ...audit]
