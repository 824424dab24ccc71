import type { Platform } from '../../platform.ts'

/** A cookie of the sign-in: `session` of a session, `device` of an earlier sign-in, `state` of a sign-in that is not complete. */
type CookieKind = 'session' | 'device' | 'state'

const NAMES = { session: 'chirograph', device: 'chirograph-device', state: 'chirograph-state' } as const
const HEADER_CHARS_MAX = 16_384

type Needs = Pick<Platform, 'urls'>

/**
 * Returns a Set-Cookie header: HttpOnly, SameSite=Lax, for the whole origin; `__Host-` and Secure except at a plain http origin, which only
 * development has.
 *
 * @param maxAgeSeconds How long the browser keeps it. 0 deletes it.
 * @see [RFC 6265bis, 4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)
 */
export function makeCookie(needs: Needs, kind: CookieKind, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(needs) ? '; Secure' : ''
  return `${nameOf(needs, kind)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Returns the Set-Cookie header that deletes a cookie. */
export function clearCookie(needs: Needs, kind: CookieKind): string {
  return makeCookie(needs, kind, '', 0)
}

/** Returns the value of a cookie in a Cookie header; null without one. */
export function readCookie(needs: Needs, kind: CookieKind, header: string | undefined): string | null {
  if (header === undefined || header.length > HEADER_CHARS_MAX) return null
  const start = `${nameOf(needs, kind)}=`
  const found = header.split(';').find((one) => one.trimStart().startsWith(start))
  return found === undefined ? null : found.trim().slice(start.length)
}

function nameOf(needs: Needs, kind: CookieKind): string {
  return `${isSecure(needs) ? '__Host-' : ''}${NAMES[kind]}`
}

function isSecure({ urls }: Needs): boolean {
  return urls.publicUrl.startsWith('https:')
}
