import type { Language } from '../contract/languages.ts'
import { dateFormat, numberFormat } from '../memory/formats.ts'
import { type Html, html } from './html.ts'

/** Returns a moment as date and time in UTC, with the moment for machines. */
export function moment(text: string, language: Language): Html {
  return timed(text, dateFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }))
}

/** Returns a whole number with the separators of the language. */
export function figure(value: number, language: Language): string {
  return numberFormat(language, {}).format(value)
}

/**
 * Returns a number of a claim with all its digits and the decimal sign of the language. Without separators of
 * thousands: a year or an identifier has none.
 */
export function claimNumber(value: number, language: Language): string {
  return numberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(value)
}

function timed(text: string, format: Intl.DateTimeFormat): Html {
  return html`<time datetime="${text}">${format.format(new Date(text))}</time>`
}
