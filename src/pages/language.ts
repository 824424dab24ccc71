import type { IncomingHttpHeaders } from 'node:http'
import { allLanguages, isLanguage, type Language } from '../contract/languages.ts'
import { preferredLanguage } from '../http/routes/accept.ts'
import { cookieNamed } from './cookies.ts'

const COOKIE = 'chirograph-language'

/**
 * Returns the language of a request: that of `?lang=`, of the cookie that keeps an earlier choice, or of
 * Accept-Language, if it is offered; else the first that is offered.
 *
 * @param offered By the organisation of the page; by default all.
 */
export function languageOf(
  { url, headers }: { readonly url: string; readonly headers: IncomingHttpHeaders },
  offered: readonly Language[] = allLanguages,
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
