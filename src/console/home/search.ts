import type { ReplyOf } from '../../contract/api-operation.ts'
import { statistics } from '../../contract/events/statistics.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, rows } from '../../pages/parts.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { type HomeTexts, homeTexts } from './texts.ts'

type Hit = ReplyOf<typeof statistics.search>[number]

const PATH = '/console/search'
const addresses: Readonly<Record<Hit['kind'], string>> = {
  user: '/console/people',
  issuance: '/console/credentials',
  presentationRequest: '/console/verify',
}

const search = screen({
  place: 'home',
  path: PATH,
  summary: 'Finds people, credentials and verifications.',
  show: async (frame) => {
    const t = homeTexts[frame.language]
    const q = (frame.query.q ?? '').slice(0, 200)
    const hits = q.trim() === '' ? [] : (await frame.api.call(statistics.search, { query: { q } })).data
    const form = html`<form class="filter" method="get" action="${PATH}">
      <div class="field">
        <label for="q">${frame.t.find}</label>
        <input id="q" name="q" type="search" maxlength="200" value="${q}">
      </div>
      ${button(frame.t.search)}
    </form>`
    const none = html`<div class="empty">
      <p>${q.trim() === '' ? t.searchText : t.nothingFound}</p>
      <p>${t.searchHint}</p>
    </div>`
    const main = html`${form}${hits.length === 0 ? none : found(frame, t, hits)}`
    return { title: t.searchTitle, main }
  },
})

function found(frame: Frame, t: HomeTexts, hits: readonly Hit[]): Html {
  const parts = [...Map.groupBy(hits, ({ kind }) => kind)].map(([kind, ones]) => {
    const items = ones.map(({ id, name, reference, createdAt }) => {
      const referred = reference !== undefined && html`${foreign(reference)} · `
      return {
        title: html`<a href="${addresses[kind]}/${encodeURIComponent(id)}">${foreign(name)}</a>`,
        about: kind === 'user' ? foreign(id, 255) : html`${referred}${when(frame, createdAt)}`,
      }
    })
    return html`<section class="panel">
      <header><h2>${t.kinds[kind]}</h2></header>
      ${rows(t.kinds[kind], items)}
    </section>`
  })
  return html`<div class="stack narrow">${parts}</div>`
}

/** Search. */
export const searchScreens: readonly Endpoint[] = search
