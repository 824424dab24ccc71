import type { IncomingHttpHeaders } from 'node:http'
import { preferredLanguage } from '../http/routes/accept.ts'
import { cookieNamed } from './cookies.ts'
import { en, type PageTexts } from './messages/en.ts'
import { fr } from './messages/fr.ts'

/** Languages of the pages, with their own names. The first is the default. */
export const languages = { en: 'English', fr: 'Français' } as const

/** A language of the pages. */
export type Language = keyof typeof languages

/** Returns whether a text names a language of the pages. */
export function isLanguage(text: string | null | undefined): text is Language {
  return text != null && Object.hasOwn(languages, text)
}

/** Texts of the kit by language. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, fr }

const COOKIE = 'chirograph-language'

/** Returns the language of a request: that of `?lang=`, of the cookie that keeps an earlier choice, or of Accept-Language. */
export function languageOf({
  url,
  headers,
}: {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}): Language {
  return (
    chosenIn(url) ??
    named(cookieNamed(COOKIE, headers.cookie)) ??
    named(preferredLanguage(headers['accept-language'], Object.keys(languages))) ??
    'en'
  )
}

/** Returns the Set-Cookie header that keeps the choice in `?lang=` for a year; null if there is none. The cookie is no secret. */
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
