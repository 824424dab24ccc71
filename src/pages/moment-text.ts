import { type Html, html } from './html.ts'
import type { Language } from './language.ts'

/** Returns a moment as date and time in UTC, with the moment for machines. */
export function moment(text: string, language: Language): Html {
  return timed(text, new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }))
}

/** Returns a whole number with the separators of the language. */
export function figure(value: number, language: Language): string {
  return new Intl.NumberFormat(language).format(value)
}

function timed(text: string, format: Intl.DateTimeFormat): Html {
  return html`<time datetime="${text}">${format.format(new Date(text))}</time>`
}
