import type { Platform } from '../platform.ts'

type Needs = Pick<Platform, 'urls'>

/** A cookie of the pages: `session` is the signed-in session, `visit` binds forms before sign-in. */
type PageCookie = 'session' | 'visit'

const names: Readonly<Record<PageCookie, string>> = { session: 'chirograph', visit: 'chirograph-visit' }

/** The prefix makes browsers refuse the cookie from another host or without TLS; plain http in development cannot have it. */
function cookieName({ urls }: Needs, cookie: PageCookie): string {
  return urls.publicUrl.startsWith('https:') ? `__Host-${names[cookie]}` : names[cookie]
}

/** Returns the value of a cookie. null: absent, empty, or sent with two values. */
export function readCookie(needs: Needs, header: string | undefined, cookie: PageCookie): string | null {
  return cookieNamed(cookieName(needs, cookie), header)
}

/** Returns the value of a cookie by its name, as {@link readCookie}. */
export function cookieNamed(name: string, header = ''): string | null {
  const parts = header.split(';').map((part) => part.trim())
  const found = new Set(parts.filter((part) => part.startsWith(`${name}=`)))
  const [pair = ''] = found
  const value = pair.slice(name.length + 1)
  return found.size === 1 && value !== '' ? value : null
}

/** Returns a Set-Cookie header. @param maxAgeSeconds 0 deletes the cookie; without it the cookie ends with the browser. */
export function writeCookie(needs: Needs, cookie: PageCookie, value: string, maxAgeSeconds?: number): string {
  const secure = needs.urls.publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${cookieName(needs, cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`
}
