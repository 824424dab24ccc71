import { shownPath } from '../../pages/claims/claims.ts'
import { shownValue } from '../../pages/claims/values.ts'
import { type Html, html } from '../../pages/html.ts'
import { cut } from '../../pages/parts.ts'
import { typeName } from '../../pages/type-name.ts'
import type { Display } from '../cards/api-types.ts'
import { issuerName } from '../cards/card.ts'
import type { Frame } from '../frame/screen.ts'
import type { AskedMeta, Chosen, ClaimsPreview } from './choice.ts'
import { unfitState } from './other-cards.ts'
import { disclosedRows } from './rows.ts'
import type { AskedTexts } from './texts.ts'

/** So many lines of a list are shown, and the rest is folded away. */
const OPEN_LINES = 60

/** Returns how many values would leave without having been shown: such an answer is not sent from a page. */
export function unshownCount({ shown }: Chosen): number {
  return shown.reduce((sum, { disclosedMore = 0 }) => sum + disclosedMore, 0)
}

/**
 * Returns what the verifier would see of one card, each value whole, and what stays.
 *
 * @param other The way to other cards.
 */
export function leavingOf(
  frame: Frame,
  t: AskedTexts,
  { credentials }: AskedMeta,
  one: ClaimsPreview,
  other: Html | null,
): Html {
  const { language } = frame
  const details = credentials?.[one.credentialId]
  const look = details?.display
  const labels = look?.labels ?? []
  const leaves = inOrder(disclosedRows(one.disclosed), labels, ({ path }) => path).map(
    ({ path, value, isRequested }) => {
      const always = !isRequested && html`<br><span class="hint">${t.always}</span>`
      const name = html`${shownPath(labels, path, language)}${always}`
      return html`<div><dt>${name}</dt><dd>${shownValue(value, language, 'folded', { labels, path })}</dd></div>`
    },
  )
  const stays = inOrder(one.withheld, labels, (path) => path).map(
    (path) => html`<div><dt>${shownPath(labels, path, language)}</dt><dd>${t.notShared}</dd></div>`,
  )
  const { withheldMore = 0 } = one
  const ofIssuer = look !== undefined && html` ${t.of} ${issuerName(look)}`
  const from = html`${t.fromCard} <b>${look?.name ?? t.unnamed}</b>${ofIssuer}`
  const staying = html`${lines(t, stays, 'facts stays')}
  ${withheldMore > 0 && html`<p class="hint">${t.staysMore(withheldMore)}</p>`}`
  const card = html`<p class="hint">${from}</p>${unfitState(frame, details)}${other}`
  return html`<section class="card consent"><h2>${t.see}</h2>${card}${lines(t, leaves, 'facts')}
${cut()}<h2>${t.stays}</h2>${stays.length === 0 ? html`<p class="hint">${t.staysNothing}</p>` : staying}</section>`
}

function lines(t: AskedTexts, all: readonly Html[], look: string): Html {
  const list = (some: readonly Html[]) => html`<dl class="${look}">${some}</dl>`
  if (all.length <= OPEN_LINES) return list(all)
  const rest = all.slice(OPEN_LINES)
  return html`${list(all.slice(0, OPEN_LINES))}<details>
    <summary>${t.more(rest.length)}</summary>
    ${list(rest)}
  </details>`
}

/** In the order in which the issuer lists its claims. */
function inOrder<T>(all: readonly T[], labels: Display['labels'], pathOf: (one: T) => string): T[] {
  const order = new Map(labels.map(({ path }, index) => [path, index]))
  const rank = (one: T) => order.get(pathOf(one)) ?? labels.length
  return all.toSorted((one, other) => rank(one) - rank(other))
}

/** Returns what a person agrees to besides, whole: the wallet refuses requests with more than a page shows. */
export function shownTransactions(
  { language }: Frame,
  t: AskedTexts,
  { transactionData = [] }: AskedMeta,
): Html | null {
  if (transactionData.length === 0) return null
  const entries = transactionData.map(
    ({ type, content }) => html`<h3>${typeName(type)}</h3>${shownValue(content, language, 'open')}`,
  )
  return html`<section class="card agreed"><h2>${t.transaction}</h2>${entries}</section>`
}
