import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { button } from '../../pages/parts.ts'
import { badge, pageOf, pager, table } from '../../pages/table.ts'
import { screen } from '../frame/screen.ts'
import { type JournalTexts, journalTexts } from './texts.ts'

type Thing = { readonly kind: string; readonly id: string | null }
type Event = { readonly id: string; readonly type: string; readonly createdAt: string; readonly subject: Thing }
type Entry = {
  readonly id: string
  readonly createdAt: string
  readonly action: string
  readonly actor: { readonly kind: keyof JournalTexts['actors']; readonly id: string | null }
  readonly subject: Thing
  readonly result: 'done' | 'refused'
  readonly ip: string | null
}

const events = screen({
  ...{ place: 'events', path: '/console/events', summary: 'Lists events.' },
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = journalTexts[language]
    const filters = { 'filter[type]': query.type, 'filter[subject]': query.subject?.trim() }
    const { data, links } = await api.get<readonly Event[]>('/creds/events', { ...filters, ...pageOf(query) })
    const kinds = Object.entries(t.events).map(([value, text]) => ({ value, text }))
    const choices = [{ value: '', text: common.all }, ...kinds]
    const filter = html`<form class="filter" method="get" action="/console/events">${select(frame, { name: 'type', label: t.kind, value: query.type ?? '', choices })}${button(common.filter)}</form>`
    const columns = [
      { heading: t.what, cell: ({ type }: Event) => t.events[type] ?? type },
      { heading: t.about, cell: ({ subject }: Event) => thing(subject) },
      { heading: t.when, cell: ({ createdAt }: Event) => moment(createdAt, language) },
    ]
    const isFiltered = Object.values(filters).some(Boolean)
    const list = data.length === 0 ? none(isFiltered ? t.emptyFilter : t.empty) : table(t.eventsTitle, columns, data)
    return {
      title: t.eventsTitle,
      main: html`${(isFiltered || data.length > 0) && filter}${list}${pager(texts, links, frame.here)}`,
    }
  },
})

const audit = screen({
  ...{ place: 'audit', path: '/console/audit', summary: 'Lists who did what.' },
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = journalTexts[language]
    const filters = {
      'filter[action]': query.action?.trim(),
      'filter[actor]': query.actor?.trim(),
      'filter[subject]': query.subject?.trim(),
      'filter[createdAfter]': dayStart(query.from),
      'filter[createdBefore]': dayEnd(query.until),
    }
    const { data, links } = await api.get<readonly Entry[]>('/creds/audit', { ...filters, ...pageOf(query) })
    const given = (name: string) => ({ name, value: query[name] ?? '' })
    const filter = html`<form class="filter" method="get" action="/console/audit">${field(frame, { ...given('action'), label: t.action })}${field(frame, { ...given('actor'), label: t.actor })}${field(frame, { ...given('subject'), label: t.subject })}${field(frame, { ...given('from'), label: t.from, type: 'date' })}${field(frame, { ...given('until'), label: t.until, type: 'date' })}${button(common.filter)}</form>`
    const columns = [
      { heading: t.what, cell: ({ action }: Entry) => html`<code>${action}</code>` },
      {
        heading: t.who,
        cell: ({ actor, ip }: Entry) =>
          html`${t.actors[actor.kind]}${actor.id !== null && html`<br><code>${actor.id}</code>`}${ip !== null && html`<br><span class="hint">${ip}</span>`}`,
      },
      { heading: t.about, cell: ({ subject }: Entry) => thing(subject) },
      { heading: t.result, cell: ({ result }: Entry) => badge(t.results[result], result === 'done' ? 'ok' : 'bad') },
      { heading: t.when, cell: ({ createdAt }: Entry) => moment(createdAt, language) },
    ]
    const list = data.length === 0 ? none(t.emptyFilter) : table(t.audit, columns, data)
    return { title: t.audit, main: html`${filter}${list}${pager(texts, links, frame.here)}` }
  },
})

function none(text: string): Html {
  return html`<div class="empty"><p>${text}</p></div>`
}

function thing({ kind, id }: Thing): Html {
  const name = kind.replaceAll('_', ' ')
  if (id === null) return html`${name}`
  return kind === 'issuance'
    ? html`<a href="/console/credentials/${id}">${name}</a>`
    : html`${name}<br><code>${id}</code>`
}

function dayStart(day: string | undefined): string | undefined {
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : undefined
}

function dayEnd(day: string | undefined): string | undefined {
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T23:59:59Z` : undefined
}

/** What happened: events, and the audit trail. */
export const journalScreens: readonly Endpoint[] = [...events, ...audit]
