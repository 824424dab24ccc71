import { events } from '../../contract/events/events.ts'
import { memberOf } from '../../crypto/json.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { rows } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { journalTexts } from '../journal/texts.ts'
import type { Thing } from '../journal/thing.ts'
import { type HomeTexts, homeTexts } from './texts.ts'

type Event = {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly subject: Thing
}

const PATH = '/console/latest'
/** Between two looks of an open page for new events. */
const PAUSE_MS = 4000

/**
 * Returns the latest events, which change by themselves; null where the person may not read them, or they are missing.
 */
export async function latestEvents(frame: Frame, t: HomeTexts): Promise<Html | null> {
  if (!may(frame, 'events:read')) return null
  const events = await frame.orMissing(read(frame))
  if (events === null) return null
  return html`<section class="panel">
    <header>
      <h2>${t.latest}</h2>
      <span class="live">${badge(t.live, 'ok')}</span>
      <a href="/console/events">${t.allEvents}</a>
    </header>
    <live-region src="${PATH}" pause="${PAUSE_MS}" state="${stateOf(events)}">${list(frame, t, events)}</live-region>
  </section>`
}

const latest = screen({
  place: 'home',
  path: PATH,
  summary: 'Returns the latest events once there is a new one.',
  show: async (frame) => {
    const known = frame.headers['x-state']
    const events = await read(frame)
    const state = stateOf(events)
    if (state === known) return { fragment: html``, status: 204 }
    return { fragment: list(frame, homeTexts[frame.language], events), headers: { 'x-state': state } }
  },
})

async function read({ api }: Frame): Promise<readonly Event[]> {
  return (await api.call(events.list, { query: { 'page[size]': '5' } })).data
}

function stateOf([newest]: readonly Event[]): string {
  return newest?.id ?? 'none'
}

function list(frame: Frame, t: HomeTexts, events: readonly Event[]): Html {
  const { events: names } = journalTexts[frame.language]
  const items = events.map(({ type, subject, createdAt }) => ({
    title: memberOf(names, type) ?? type,
    about: html`${subject.name != null && html`${foreign(subject.name)} · `}${when(frame, createdAt)}`,
  }))
  return items.length === 0 ? html`<p class="inside">${t.nothing}</p>` : rows(t.latest, items)
}

/** The part of the home that changes by itself. */
export const latestScreens: readonly Endpoint[] = latest
