import { foreignText } from '../protocols/foreign-text.ts'
import { type Html, html } from './html.ts'

const CHARS_MAX = 200

/** As {@link foreignText}, for a page: `–` for what is empty then. */
export function shownText(text: string, charsMax = CHARS_MAX): string {
  return foreignText(text, charsMax) ?? '–'
}

/** As {@link shownText}, apart from the direction of its surroundings. */
export function foreign(text: string, charsMax?: number): Html {
  return html`<bdi>${shownText(text, charsMax)}</bdi>`
}

/**
 * Returns a text apart from the direction of its surroundings, also one of the organisation itself; other content as it
 * is.
 */
export function apart(content: Html | string): Html
export function apart(content: Html | string | number | null): Html | number | null
export function apart(content: Html | string | number | null): Html | number | null {
  return typeof content === 'string' ? html`<bdi>${content}</bdi>` : content
}
