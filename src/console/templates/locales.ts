import type { Language } from '../../contract/languages.ts'
import { displayNames } from '../../memory/formats.ts'
import type { Choice } from '../../pages/controls.ts'

const known = [
  'af',
  'ar',
  'bg',
  'ca',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'eu',
  'fa',
  'fi',
  'fr',
  'ga',
  'he',
  'hi',
  'hr',
  'hu',
  'is',
  'it',
  'ja',
  'ko',
  'lb',
  'lt',
  'lv',
  'mt',
  'nb',
  'nl',
  'nn',
  'nso',
  'pl',
  'pt',
  'rm',
  'ro',
  'ru',
  'sk',
  'sl',
  'sq',
  'sr',
  'st',
  'sv',
  'sw',
  'ta',
  'th',
  'tn',
  'tr',
  'uk',
  'ur',
  'vi',
  'xh',
  'zh',
  'zu',
]

/**
 * Returns the languages to choose from, in the order of their names.
 *
 * @param now The one that is chosen; it may be any.
 */
export function localeChoices(now: string, language: Language): readonly Choice[] {
  const all = new Set([...known, ...(now === '' ? [] : [now])])
  const choices = [...all].map((value) => ({ value, text: localeName(value, language) }))
  return choices.toSorted((one, other) => one.text.localeCompare(other.text, language))
}

/** Returns what a language is called; its tag if that is unknown or malformed. */
export function localeName(locale: string, language: Language): string {
  try {
    return displayNames(language, { type: 'language' }).of(locale) ?? locale
  } catch {
    return locale
  }
}

/** Returns a language that is not among those: English or French first. */
export function freeLocale(taken: readonly string[]): string {
  return ['en', 'fr', ...known].find((one) => !taken.includes(one)) ?? 'en'
}
