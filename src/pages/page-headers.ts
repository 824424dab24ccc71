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
 * Returns the headers of a page without own styles that other websites may embed and that uses the Digital Credentials API, in place of those of
 * {@link pageHeaders}. The page must show nothing of a session and have no forms.
 *
 * @param origins Of the pages that may embed it.
 */
export function embeddedPageHeaders(origins: readonly string[]): Record<string, string> {
  const ancestors = `frame-ancestors ${origins.join(' ')}`
  return {
    'content-security-policy': `${policy.replace("frame-ancestors 'none'", ancestors)}; style-src 'self'`,
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), digital-credentials-get=(self)',
  }
}

/**
 * Returns the headers of a page: only own scripts and styles run, it is never framed and never stored. [SEC-76]
 *
 * @param nonce Of the one `style` element that the page may have.
 */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'content-security-policy': `${policy}; style-src 'self' 'nonce-${nonce}'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
  }
}

/** The member that replaces that of {@link pageHeaders} on the one page with a camera. */
export const cameraHeaders = { 'permissions-policy': 'camera=(self), geolocation=(), microphone=()' } as const
