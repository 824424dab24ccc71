import { history } from '../../contract/wallet/history.ts'
import { html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { pageOf, pager } from '../../pages/table.ts'
import { screen } from '../frame/screen.ts'
import { historyList } from './history.ts'
import { cardTexts } from './texts.ts'

/** A part of the history: where one card was shown, or what waits for an answer. */
type Part = { readonly card: string } | { readonly status: 'pending' }

/** Returns the address of a part of the history. */
export function historyPath(part: Part): string {
  return `/me/history?${String(new URLSearchParams(part))}`
}

/** What came and what left; with `card` where that card was shown, with `status` what waits. */
export const historyScreen = screen({
  place: 'history',
  path: '/me/history',
  summary: 'Shows what came and what left, or a part of it.',
  show: async (frame) => {
    const t = cardTexts[frame.language]
    const { card, status } = frame.query
    const isWaiting = status === 'pending'
    const ofCard = card !== undefined && { 'filter[credentialId]': card, 'filter[kind]': 'presentation' }
    const { data, meta, links } = await frame.api.call(history.list, {
      query: {
        ...ofCard,
        ...(isWaiting && { 'filter[status]': 'pending' }),
        ...pageOf(frame.query),
      },
    })
    const [title, empty] =
      card !== undefined
        ? [t.shown, t.neverShown]
        : isWaiting
          ? [t.waiting, t.nothingWaits]
          : [t.historyTitle, t.historyEmpty]
    const list =
      data.length === 0
        ? html`<p class="empty">${empty}</p>`
        : html`${historyList(frame, t, data, meta.credentials)}${pager(frame.texts, links, frame.here)}`
    const toCard = card !== undefined && buttonLink(t.toCard, `/me/cards/${encodeURIComponent(card)}`)
    const isPart = card !== undefined || isWaiting
    const back = isPart && html`<p class="buttons">${toCard}${buttonLink(t.allHistory, '/me/history')}</p>`
    return { title, main: html`${list}${back}` }
  },
})
