import type { IncomingHttpHeaders } from 'node:http'
import { type Language, languages } from '../contract/languages.ts'
import { preferredLanguage } from '../http/routes/accept.ts'
import { cookieNamed } from './cookies.ts'
import { en, type PageTexts } from './messages/en.ts'
import { fr } from './messages/fr.ts'

/** Returns whether a text names a language of the pages. */
export function isLanguage(text: string | null | undefined): text is Language {
  return text != null && Object.hasOwn(languages, text)
}

/**
 * Returns French texts with spaces that no line ends at, before double punctuation and inside guillemets. `T` is a
 * table of texts: strings, functions that make them, and tables.
 */
export function spaced<T>(texts: T): T {
  // A string stays a string, a function one with the same parameters, a table one with the same names.
  return spacedValue(texts) as T
}

function spacedValue(one: unknown): unknown {
  if (typeof one === 'string') return one.replaceAll(/ (?=[:;?!»])|(?<=«) /g, '\u00a0')
  if (typeof one === 'function') return (...given: unknown[]) => spacedValue(one(...given))
  if (Array.isArray(one)) return one.map(spacedValue)
  if (typeof one !== 'object' || one === null || Object.getPrototypeOf(one) !== Object.prototype) return one
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, spacedValue(value)]))
}

/** Texts of the kit by language. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, fr: spaced(fr) }

const COOKIE = 'chirograph-language'

/**
 * Returns the language of a request: that of `?lang=`, of the cookie that keeps an earlier choice, or of
 * Accept-Language, if it is offered; else the first that is offered.
 *
 * @param offered By the organisation of the page; by default all.
 */
export function languageOf(
  { url, headers }: { readonly url: string; readonly headers: IncomingHttpHeaders },
  // Object.keys loses the type of the keys.
  offered: readonly Language[] = Object.keys(languages) as Language[],
): Language {
  const wanted = [
    chosenIn(url),
    named(cookieNamed(COOKIE, headers.cookie)),
    named(preferredLanguage(headers['accept-language'], offered)),
  ]
  return wanted.find((one) => one !== null && offered.includes(one)) ?? offered[0] ?? 'en'
}

/**
 * Returns the Set-Cookie header that keeps the choice in `?lang=` for a year; null if there is none. The cookie is no
 * secret.
 */
export function languageCookie(url: string): string | null {
  const chosen = chosenIn(url)
  return chosen === null ? null : `${COOKIE}=${chosen}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`
}

function chosenIn(url: string): Language | null {
  return named(new URLSearchParams(url.split('?', 2)[1]).get('lang'))
}

function named(name: string | null): Language | null {
  return isLanguage(name) ? name : null
}
