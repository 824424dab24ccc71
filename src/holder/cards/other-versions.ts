import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { type Html, html } from '../../pages/html.ts'
import { message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import type { Credential, Details } from './api-types.ts'
import { cardDay, cardState } from './card.ts'
import { type CardTexts, cardTexts } from './texts.ts'

const EARLIER_MAX = '10'

/** Says of a card that is over that a newer one has taken its place. */
export function newerNote(t: CardTexts, { newerId }: Details): Html | null {
  if (newerId === undefined) return null
  const link = html`<p><a href="/me/cards/${newerId}">${t.toNewer}</a></p>`
  return message('note', t.newer, link)
}

/** Returns the newest ten cards whose place a card has taken, which the list of cards leaves out; null: none. */
export async function earlierCards(frame: Frame, { id, vct }: Credential): Promise<Html | null> {
  const query = { 'filter[vct]': vct, 'filter[superseded]': 'true', 'page[size]': EARLIER_MAX } as const
  const { data, meta } = await frame.api.call(walletCredentials.list, { query })
  const t = cardTexts[frame.language]
  const items = data.flatMap((one) => {
    const about = meta.credentials[one.id]
    if (about?.newerId !== id) return []
    const { state, tone } = cardState(one, about, frame.now)
    const received = cardDay(about.receivedAt, frame.language)
    return html`<li>
      <div>
        <b><a href="/me/cards/${one.id}">${about.display.name ?? t.unnamed}</a></b>
        <span>${t.received} ${received}</span>
      </div>
      ${badge(t.states[state], tone)}
    </li>`
  })
  if (items.length === 0) return null
  return html`<section class="stack"><h2>${t.older}</h2><ul class="rows past">${items}</ul></section>`
}
