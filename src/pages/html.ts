import { escapeHtml } from '../http/routes/page.ts'
import { seenText } from '../protocols/foreign-text.ts'

/** A piece of HTML. Made by {@link html} only, so whatever was interpolated into it is escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may be interpolated: a text or number is escaped, `null`, `undefined` and `false` leave nothing. */
type Interpolated = string | number | Html | readonly Html[] | null | undefined | false

/**
 * Template tag: returns HTML in which everything interpolated is escaped for text and for a quoted attribute. It is not
 * fit for the inside of `script` and `style`, and does not check the scheme of an address.
 *
 * Signs that nobody sees and that turn or hide the text beside them are left out of every text; fields and addresses
 * keep them.
 *
 * @throws Error for an attribute value without quotation marks, which no escaping makes safe.
 */
export function html(texts: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  let text = texts[0] ?? ''
  values.forEach((value, index) => {
    if (texts[index]?.endsWith('=')) throw new Error('an interpolated attribute value needs quotation marks')
    const [before, next] = [texts[index] ?? '', texts[index + 1] ?? '']
    text += textOf(value, before, next) + next
  })
  return new Html(text)
}

function textOf(value: Interpolated, before: string, next: string): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((one) => one.text).join('')
  const text = String(value)
  const seen = seenText(text)
  return escapeHtml(seen === text || isKept(before, next) ? text : seen)
}

/** What is edited, and an address, are no texts that are read. */
function isKept(before: string, next: string): boolean {
  return / (?:value|href|src|action)="$/.test(before) || next.startsWith('</textarea>')
}
