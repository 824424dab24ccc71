import { type Html, html } from '../../pages/html.ts'
import { badge } from '../../pages/table.ts'
import type { Details } from '../cards/api-types.ts'
import { cardDay, cardState, issuerName } from '../cards/card.ts'
import { cardTexts } from '../cards/texts.ts'
import type { Frame } from '../frame/screen.ts'
import { type Asked, type AskedMeta, type ClaimsPreview, type Instead, writeInstead } from './choice.ts'
import type { AskedTexts } from './texts.ts'

/** Cards on a page of them. */
const CARDS = 50

type Needs = Pick<Frame, 'query' | 'language' | 'now'>

/**
 * Returns the ways to answer with another card: the first 50, and from there to the next ones by the member `from` of
 * the address.
 */
export function otherCards(
  frame: Needs,
  t: AskedTexts,
  { data, meta }: { readonly data: Asked; readonly meta: AskedMeta },
  one: ClaimsPreview,
  instead: Instead,
): Html | null {
  const { from } = frame.query
  const query = meta.alternatives.find(({ queryId }) => queryId === one.queryId)
  const ids = (query?.credentials ?? []).map(({ credentialId }) => credentialId).filter((id) => id !== one.credentialId)
  if (ids.length === 0) return null
  const address = (use: Instead, start: number) =>
    `/me/asked/${data.id}?${new URLSearchParams({ use: writeInstead(use), ...(start > 0 && { from: String(start) }) })}`
  const start = /^\d{1,4}$/.test(from ?? '') && Number(from) < ids.length ? Number(from) : 0
  const links = ids.slice(start, start + CARDS).map((id) => {
    const details = meta.credentials?.[id]
    const look = details?.display
    const name = look === undefined ? t.unnamed : `${look.name ?? t.unnamed}, ${issuerName(look)}`
    const to = address(new Map([...instead, [one.queryId, id]]), 0)
    const since = html`<span class="hint">${details && cardDay(details.receivedAt, frame.language)}</span>`
    return html`<li><p><a href="${to}">${t.use(name)}</a> ${since}</p>${unfitState(frame, details)}</li>`
  })
  const left = ids.length - start - links.length
  const before =
    start > 0 && html`<li><a href="${address(instead, Math.max(0, start - CARDS))}">${t.newerCards}</a></li>`
  const after = left > 0 && html`<li><a href="${address(instead, start + CARDS)}">${t.olderCards(left)}</a></li>`
  const list = html`<ul class="list">${before}${links}${after}</ul>`
  return html`<details${start > 0 && html` open`}><summary>${t.another}</summary>${list}</details>`
}

/** Says what is wrong with a card that is suspended or revoked; nothing for any other. */
export function unfitState(
  { language, now }: Pick<Frame, 'language' | 'now'>,
  details: Details | undefined,
): Html | null {
  if (details?.standing === undefined || details.standing.status === 'valid') return null
  const t = cardTexts[language]
  const { state, tone } = cardState({ status: 'accepted' }, details, now)
  return html`<p>${badge(t.states[state], tone)} ${t.says[state]}</p>`
}
