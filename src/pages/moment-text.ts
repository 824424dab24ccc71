import type { Language } from '../contract/languages.ts'
import { dateFormat, numberFormat } from '../memory/formats.ts'
import { type Html, html } from './html.ts'

const MOMENT = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const

/** Returns a moment as date and time in a time zone, which it names, with the moment for machines. */
export function moment(text: string, language: Language, timeZone = 'UTC'): Html {
  return html`<time datetime="${text}">${dateFormat(language, { ...MOMENT, timeZone }).format(new Date(text))}</time>`
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
