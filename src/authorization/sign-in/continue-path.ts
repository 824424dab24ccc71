/** Characters of an address at which a person continues after the sign-in. */
export const CONTINUE_CHARS_MAX = 8192
const AUTHORIZE = /^\/(auth|issuers\/[a-z0-9-]{1,63})\/authorize\?[!-~]*$/

/**
 * Whether a path and query is of an authorization endpoint of this server: the platform's, or that of a tenant as
 * credential issuer.
 */
export function isAuthorizePath(path: string): boolean {
  return path.length <= CONTINUE_CHARS_MAX && AUTHORIZE.test(path)
}

/** Whether a path is the callback of a wallet, to which the authorization server of an issuer has sent the browser. */
export function isWalletCallback(path: string): boolean {
  return path.length <= CONTINUE_CHARS_MAX && /^\/issuance-sessions\/callback\?[!-~]*$/.test(path)
}
