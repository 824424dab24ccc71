const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?([/?].*)?$/

/**
 * Whether a redirect URI is one of the registered ones: equal by character. Only the port of a loopback address may
 * differ, since a native app gets it from its system.
 *
 * @see [RFC 9700, 2.1](https://www.rfc-editor.org/rfc/rfc9700#section-2.1) and [RFC 8252, 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  // RFC 6749 3.1.2: no fragment
  if (uri.includes('#')) return false
  if (registered.includes(uri)) return true
  const portless = withoutPort(uri)
  return portless !== null && registered.some((one) => withoutPort(one) === portless)
}

/**
 * A loopback address without its port; null for any other. `localhost` is none: a name may lead elsewhere (RFC 8252
 * 8.3).
 */
function withoutPort(uri: string): string | null {
  const [, origin, rest = ''] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? null : origin + rest
}

/**
 * Returns a redirect URI with the parameters of a response; those that are undefined are left out. The URI itself stays
 * as it was registered.
 */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(present)}`
}
