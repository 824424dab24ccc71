import type { Language } from '../contract/languages.ts'
import { numberFormat, relativeTimeFormat } from '../memory/formats.ts'
import { type Html, html } from './html.ts'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/**
 * Returns how long ago a moment was, with the moment for machines. It needs no time zone.
 *
 * @param say Makes the sentence of words such as "3 minutes ago".
 */
export function ago(moment: Date, now: Date, language: Language, say: (when: string) => string): Html {
  const seconds = Math.max(0, (now.getTime() - moment.getTime()) / 1000)
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? ['second', 60]
  const text = relativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(seconds / length), unit)
  return html`<time datetime="${moment.toISOString()}">${say(text)}</time>`
}

/** Returns a length of time in words, e.g. "2 minutes"; above a minute rounded up to minutes. */
export function duration(seconds: number, language: Language): string {
  const [count, unit] = seconds < 60 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute']
  return numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}
