import { type Html, html } from './html.ts'

/** Controls, and the characters that change the direction of what stands beside them. */
const UNSHOWN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}/gu
const LINE_ENDS = /[\t-\r\u0085\u2028\u2029]/g
/** No name has more marks on one character. */
const MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * Returns a text of a stranger as it can be shown: without controls and marks of direction, on one line, cut.
 *
 * @param lengthMax In UTF-16 code units.
 */
export function foreignText(text: string, lengthMax = 200): string {
  // Nothing is done with what is cut off anyway.
  const shown = text
    .slice(0, 4 * lengthMax)
    .replace(LINE_ENDS, ' ')
    .replace(UNSHOWN, '')
    .replace(/\s+/g, ' ')
    .replace(MARKS, '$1')
    .trim()
  if (shown.length <= lengthMax) return shown
  return `${shown.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** As {@link foreignText}, apart from the direction of its surroundings. */
export function foreign(text: string, lengthMax?: number): Html {
  return html`<bdi>${foreignText(text, lengthMax)}</bdi>`
}
