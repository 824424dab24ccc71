import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import type { Frame } from './screen.ts'

/**
 * Returns what stands in place of a list without rows: a sentence and the next step. Where filters are set, that is the
 * list without them.
 *
 * @param fits The sentence where filters are set. @param empty The sentence where there is nothing at all. @param
 *   reasons What completes that sentence. @param way The next step then.
 */
export function emptyList(
  { here, t }: Pick<Frame, 'here' | 't'>,
  {
    isFiltered,
    fits,
    empty,
    reasons = [],
    way,
  }: {
    readonly isFiltered: boolean
    readonly fits: string
    readonly empty: string
    readonly reasons?: readonly string[]
    readonly way?: Html | false | null
  },
): Html {
  const step = isFiltered ? buttonLink(t.clearFilters, here.split('?', 1)[0] ?? '') : way
  const list = html`<ul class="list">${reasons.map((one) => html`<li>${one}</li>`)}</ul>`
  return html`<div class="empty">
    <p>${isFiltered ? fits : empty}</p>
    ${!isFiltered && reasons.length > 0 && list}
    ${step && html`<div class="buttons">${step}</div>`}
  </div>`
}
