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
