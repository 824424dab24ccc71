import type { Platform } from '../platform.ts'

type Needs = Pick<Platform, 'urls'>

/** Name of the cookie of a signed-in session. */
export const SESSION_COOKIE = 'chirograph'
const HEADER_CHARS_MAX = 16_384

/**
 * Returns a Set-Cookie header: HttpOnly, SameSite=Lax, for the whole origin; `__Host-` and Secure except at a plain
 * http origin, which only development has. The prefix makes browsers refuse the cookie from another host or without
 * TLS.
 *
 * @param maxAgeSeconds How long the browser keeps it; 0 deletes it. Without it the cookie ends with the browser.
 * @see [RFC 6265bis, 4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)
 */
export function writeCookie(needs: Needs, name: string, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${cookieName(needs, name)}=${value}; Path=/${age}; HttpOnly; SameSite=Lax${isSecure(needs) ? '; Secure' : ''}`
}

/** Returns the value of a cookie that {@link writeCookie} wrote; null as with {@link cookieNamed}. */
export function readCookie(needs: Needs, name: string, header: string | undefined): string | null {
  return cookieNamed(cookieName(needs, name), header)
}

/**
 * Returns the value of a cookie. null: absent, empty, sent with two values, or the header has more than 16,384
 * characters.
 */
export function cookieNamed(name: string, header = ''): string | null {
  if (header.length > HEADER_CHARS_MAX) return null
  const parts = header.split(';').map((part) => part.trim())
  const found = new Set(parts.filter((part) => part.startsWith(`${name}=`)))
  const [pair = ''] = found
  const value = pair.slice(name.length + 1)
  return found.size === 1 && value !== '' ? value : null
}

/**
 * Lists the cookies whose names begin with a text, in the order of the header: the rest of the name, and the characters
 * of the whole pair.
 */
export function cookiesBeginning(
  prefix: string,
  header = '',
): readonly { readonly rest: string; readonly length: number }[] {
  return header.split(';').flatMap((part) => {
    const pair = part.trim()
    const [name = ''] = pair.split('=', 1)
    const rest = name.slice(prefix.length)
    return name.startsWith(prefix) && /^[\w-]{1,64}$/.test(rest) ? [{ rest, length: pair.length + 2 }] : []
  })
}

/**
 * Returns the Set-Cookie headers that end the oldest cookies of a browser whose names begin with a text, until they and
 * a new one are short enough together: a request with too long headers is refused. Browsers send cookies of one path in
 * the order in which they were made (RFC 6265 5.4).
 *
 * @param added Characters of the new cookie, with its name. `charsMax`: of all of them.
 */
export function endOldest(
  needs: Needs,
  prefix: string,
  header: string | undefined,
  { added, charsMax }: { readonly added: number; readonly charsMax: number },
): string[] {
  const all = cookiesBeginning(cookieName(needs, prefix), header)
  let chars = added + all.reduce((sum, one) => sum + one.length, 0)
  return all.flatMap((one) => {
    if (chars <= charsMax) return []
    chars -= one.length
    return [writeCookie(needs, prefix + one.rest, '', 0)]
  })
}

/** Returns the name that a cookie has for browsers. */
export function cookieName(needs: Needs, name: string): string {
  return `${isSecure(needs) ? '__Host-' : ''}${name}`
}

function isSecure({ urls }: Needs): boolean {
  return urls.publicUrl.startsWith('https:')
}
