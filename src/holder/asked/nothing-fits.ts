import { credentialTypes } from '../../contract/issuance/types.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, message } from '../../pages/parts.ts'
import { typeName } from '../../pages/type-name.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { verifierName } from '../cards/verifier-name.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { about } from './about.ts'
import type { Opened } from './choice.ts'
import type { AskedTexts } from './texts.ts'

/** Types whose issuers are looked up: each is a call. */
const LOOKED_UP = 3
/** Issuers that are named for a type: of a type of a standard there may be many. */
const ISSUERS = 5

/**
 * Returns the page about a request that no card answers: what is missing, and who issues it.
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
  const items = await Promise.all(types.map((type, index) => missing(frame, t, type, index < LOOKED_UP)))
  const list =
    items.length > 0 && html`<section class="stack tight"><h2>${t.missing}</h2><ul class="list">${items}</ul></section>`
  const buttons = html`<div class="buttons decide">
    ${button(t.refuse, { name: 'answer', value: 'rejected' })}
    ${buttonLink(t.cards, '/me')}
  </div>`
  const refuse = form(frame, `/me/asked/${data.id}`, buttons)
  return {
    title: t.titleNone(who),
    main: html`${changed}${message('warn', t.nothing)}${about(frame, t, meta)}${list}${refuse}`,
  }
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
