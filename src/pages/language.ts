import type { IncomingHttpHeaders } from 'node:http'
import { preferredType } from '../http/routes/accept.ts'
import { cookieNamed } from './cookies.ts'
import { en, type PageTexts } from './messages/en.ts'
import { fr } from './messages/fr.ts'

/** Languages of the pages, with their own names. The first is the default. */
export const languages = { en: 'English', fr: 'Français' } as const

/** A language of the pages. */
export type Language = keyof typeof languages

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
  return chosenIn(url) ?? named(cookieNamed(COOKIE, headers.cookie)) ?? preferredLanguage(headers['accept-language'])
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
  return name === 'en' || name === 'fr' ? name : null
}

/** The default if the header names none of ours. @see [RFC 9110, 12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4) */
function preferredLanguage(header: string | undefined): Language {
  // `fr-CA` is served by `fr`. Apart from that, a language range has the syntax of a media range: a name and its quality.
  const ranges = header?.slice(0, 1000).replaceAll(/\b([a-z]{2})-[a-z0-9-]+/gi, '$1')
  return named(preferredType(ranges, Object.keys(languages))) ?? 'en'
}
