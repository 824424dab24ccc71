import { credentialTypes } from '../../contract/issuance/types.ts'
import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { typeName } from '../../pages/type-name.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { cardState, issuerName } from '../cards/card.ts'
import { cardTexts } from '../cards/texts.ts'
import { verifierName } from '../cards/verifier-name.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { about } from './about.ts'
import type { Opened } from './choice.ts'
import type { AskedTexts } from './texts.ts'

/** Types that are looked up, in the wallet and then among those of issuers: each is two calls. */
const LOOKED_UP = 2
/** Issuers that are named for a type: of a type of a standard there may be many. */
const ISSUERS = 5
/** Longer types are not looked for in the wallet. */
const TYPE_CHARS_MAX = 256

/**
 * Returns the page about a request that no card answers: which card of the kind is there and why it does not fit, else
 * what is missing and who issues it.
 *
 * @param changed What is said before.
 */
export async function nothingFits(
  frame: Frame,
  t: AskedTexts,
  { data, meta }: Opened,
  changed: Html | false,
): Promise<Screen> {
  const who = verifierName(meta.verifier)
  const types = [...new Set((meta.unmatched ?? []).flatMap((one) => one.types))]
  const items = await Promise.all(types.map((type, index) => itemOf(frame, t, type, index < LOOKED_UP)))
  const itemsWhere = (isHeld: boolean) => items.flatMap((one) => (one.isHeld === isHeld ? [one.shown] : []))
  const held = itemsWhere(true)
  const list = html`${section(t.unfit, held)}${section(t.missing, itemsWhere(false))}`
  const buttons = html`<div class="buttons decide">
    ${button(t.refuse, { name: 'answer', value: 'rejected' })}
    ${buttonLink(t.cards, '/me')}
  </div>`
  const refuse = form(frame, `/me/asked/${data.id}`, buttons)
  return {
    title: held.length > 0 ? t.titleUnfit(who) : t.titleNone(who),
    main: html`${changed}${message('warn', t.nothing)}${about(frame, t, meta)}${list}${refuse}`,
  }
}

async function itemOf(frame: Frame, t: AskedTexts, type: string, isLookedUp: boolean) {
  const held = isLookedUp ? await heldOf(frame, t, type) : null
  return { isHeld: held !== null, shown: held ?? (await missing(frame, t, type, isLookedUp)) }
}

function section(heading: string, items: readonly Html[]): Html | null {
  if (items.length === 0) return null
  return html`<section class="stack tight"><h2>${heading}</h2><ul class="list">${items}</ul></section>`
}

/** The newest card of the type in the wallet, and why it is not shown; null: there is none. */
async function heldOf({ api, language, now }: Frame, t: AskedTexts, type: string): Promise<Html | null> {
  // The API takes types of at most this length.
  if (type.length > TYPE_CHARS_MAX) return null
  const query = { 'filter[vct]': type, 'filter[status]': 'accepted', 'page[size]': '1', sort: '-createdAt' } as const
  const { data, meta } = await api.call(walletCredentials.list, { query })
  const [card] = data
  const details = card === undefined ? undefined : meta.credentials[card.id]
  if (card === undefined || details === undefined) return null
  const { state, tone } = cardState(card, details, now)
  const its = cardTexts[language]
  const isUsable = state === 'valid' || state === 'ending'
  const why = isUsable ? html`${t.otherContent}` : html`${badge(its.states[state], tone)} ${its.says[state]}`
  const { name } = details.display
  return html`<li><p><a href="/me/cards/${card.id}">${name ?? t.unnamed}</a></p><p>${why}</p>
    <p class="hint">${t.issuedBy(issuerName(details.display))}</p></li>`
}

/** The card by its name. Nothing of a type is fetched from elsewhere: its host would learn who was asked for it. */
async function missing({ api }: Frame, t: AskedTexts, type: string, isLookedUp: boolean): Promise<Html> {
  const query = { 'filter[type]': type, 'page[size]': String(ISSUERS) }
  // The API takes types of at most this length; no longer one is published.
  const isType = isLookedUp && type.length <= 512
  const { data } = isType ? await api.call(credentialTypes.list, { query }) : { data: [] }
  const [first] = data
  if (first === undefined) {
    const unknown = html`${t.issuerUnknown} <code>${foreignText(type, 200)}</code>`
    return html`<li><b>${typeName(type)}</b><br><span class="hint">${unknown}</span></li>`
  }
  const issuers = [...new Set(data.map(({ issuer }) => issuer.name))].join(', ')
  return html`<li><b>${first.name}</b><br><span class="hint">${t.issuedBy(issuers)}</span></li>`
}
