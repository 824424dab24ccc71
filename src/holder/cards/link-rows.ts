import type { ReplyOf } from '../../contract/api-operation.ts'
import { sharedLinks } from '../../contract/wallet/card-links.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge, type Tone } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Frame } from '../frame/screen.ts'
import type { Display } from './api-types.ts'
import { type HolderLinkTexts, holderLinkTexts } from './link-texts.ts'
import { cardTexts } from './texts.ts'

const RECIPIENT_CHARS = 200
/** Of one card, on its page. */
const OF_CARD_MAX = '5'

/** A link by which a person shows a card, as the API says it. */
export type Link = ReplyOf<typeof sharedLinks.get>

const tones: Readonly<Record<Link['status'], Tone>> = { active: 'ok', expired: 'plain', ended: 'plain' }

/** Returns whether a link works. */
export function linkState(t: HolderLinkTexts, { status }: Link): Html {
  return badge(t.states[status], tones[status])
}

/** Returns links as a list, each with the way to its page. @param looks Of their cards, by id; without removed ones. */
export function linkRows(
  { language, me }: Frame,
  all: readonly Link[],
  looks: Readonly<Record<string, Display>>,
): Html {
  const t = holderLinkTexts[language]
  const items = all.map((link) => {
    const { id, credentialId, expiresAt, views } = link
    const display = looks[credentialId]
    const name = display === undefined ? t.unnamed : (display.name ?? cardTexts[language].unnamed)
    return html`<li>
      <div>
        <b><a href="/me/links/${id}">${t.for(recipientOf(link))}</a></b>
        <span>${t.ofCard(name)} · ${t.views(views)}</span>
        <span>${t.ends} ${moment(expiresAt, language, me.organisation.timeZone)}</span>
      </div>
      ${linkState(t, link)}
    </li>`
  })
  return html`<ul class="rows past" aria-label="${t.mine}">${items}</ul>`
}

/** Returns what the page of a card says of its links; null where there are none, and none can be made. */
export async function linksOfCard(frame: Frame, id: string, canShare: boolean): Promise<Html | null> {
  const t = holderLinkTexts[frame.language]
  const query = { 'filter[credentialId]': id, 'page[size]': OF_CARD_MAX }
  const { data, meta } = await frame.api.call(sharedLinks.list, { query })
  const share = canShare && meta.isAvailable && buttonLink(t.share, `/me/cards/${encodeURIComponent(id)}/share`)
  if (data.length === 0 && share === false) return null
  const mine = data.length > 0 && html`${linkRows(frame, data, meta.credentials)}`
  const all = data.length > 0 && buttonLink(t.mine, '/me/links')
  return html`<section class="stack"><h2>${t.mine}</h2>${mine}<p class="buttons">${share}${all}</p></section>`
}

/** Returns who a link is for, as its holder wrote it. */
export function recipientOf({ recipient }: Link): string {
  return foreignText(recipient, RECIPIENT_CHARS) ?? '–'
}
