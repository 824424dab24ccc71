import * as cookies from '../../pages/cookies.ts'
import type { Platform } from '../../platform.ts'

/** A cookie of the sign-in: `session` of a session, `device` of an earlier sign-in. */
type CookieKind = 'session' | 'device'

const NAMES = { session: cookies.SESSION_COOKIE, device: 'chirograph-device' } as const

type Needs = Pick<Platform, 'urls'>

/** Returns a Set-Cookie header: see `writeCookie` of the pages. */
export function makeCookie(needs: Needs, kind: CookieKind, value: string, maxAgeSeconds: number): string {
  return cookies.writeCookie(needs, NAMES[kind], value, maxAgeSeconds)
}

/** Returns the Set-Cookie header that deletes a cookie. */
export function clearCookie(needs: Needs, kind: CookieKind): string {
  return makeCookie(needs, kind, '', 0)
}

/** Returns the value of a cookie in a Cookie header; null without one. */
export function readSignInCookie(needs: Needs, kind: CookieKind, header: string | undefined): string | null {
  return cookies.readCookie(needs, NAMES[kind], header)
}
