const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types fragment',
].join('; ')

/**
 * Returns the headers of a page that other websites may embed and that uses the Digital Credentials API, in place of
 * those of {@link pageHeaders}. The page must show nothing of a session and have no forms.
 *
 * @param origins Of the pages that may embed it.
 * @param nonce Of the one `style` element that the page may have.
 */
export function embeddedPageHeaders(origins: readonly string[], nonce?: string): Record<string, string> {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`
  const ancestors = `frame-ancestors ${origins.join(' ')}`
  return {
    'content-security-policy': `${policy.replace("frame-ancestors 'none'", ancestors)}; style-src ${style}`,
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), digital-credentials-get=(self)',
  }
}

/**
 * Returns the headers of a page: only own scripts and styles run, it is never framed and never stored. [SEC-76]
 *
 * @param nonce Of the one `style` element that the page may have.
 * @param imageSource Origin of an image of another website that the page shows.
 */
export function pageHeaders(nonce: string, imageSource?: string): Record<string, string> {
  const images = imageSource === undefined ? policy : policy.replace('img-src', `img-src ${imageSource}`)
  return {
    'content-security-policy': `${images}; style-src 'self' 'nonce-${nonce}'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
  }
}

/** The member that replaces that of {@link pageHeaders} on the one page with a camera. */
export const cameraHeaders = { 'permissions-policy': 'camera=(self), geolocation=(), microphone=()' } as const

/** The policy with which images are served. An SVG may contain scripts; opened as a page it runs none. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
