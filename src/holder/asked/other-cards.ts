import { type Html, html } from '../../pages/html.ts'
import { issuerName } from '../cards/card.ts'
import type { Frame } from '../frame/screen.ts'
import { type Asked, type AskedMeta, type ClaimsPreview, type Instead, writeInstead } from './choice.ts'
import type { AskedTexts } from './texts.ts'

/** Cards on a page of them. */
const CARDS = 50

/** Returns the ways to answer with another card: the first 50, and from there to the next ones by the member `from` of the address. */
export function otherCards(
  { query: { from } }: Pick<Frame, 'query'>,
  t: AskedTexts,
  { data, meta }: { readonly data: Asked; readonly meta: AskedMeta },
  one: ClaimsPreview,
  instead: Instead,
): Html | null {
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
    return html`<li><a href="${to}">${t.use(name)}</a> <span class="hint">${details?.receivedAt.slice(0, 10)}</span></li>`
  })
  const left = ids.length - start - links.length
  const before =
    start > 0 && html`<li><a href="${address(instead, Math.max(0, start - CARDS))}">${t.newerCards}</a></li>`
  const after = left > 0 && html`<li><a href="${address(instead, start + CARDS)}">${t.olderCards(left)}</a></li>`
  return html`<details${start > 0 && html` open`}><summary>${t.another}</summary><ul class="list">${before}${links}${after}</ul></details>`
}
