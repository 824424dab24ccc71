import { Fault } from '../../fault.ts'

const form = /^(Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*) *$/i

/** An access token, and the scheme that it was sent with. */
type PresentedToken = { readonly scheme: 'Bearer' | 'DPoP'; readonly token: string }

/**
 * Returns the access token of a request. Only the Authorization header is read [VCI-C4].
 *
 * @param missingDetail `detail` of `token.missing`.
 * @throws Fault `token.missing` also for another scheme, `token.invalid`
 * @see [RFC 6750, 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1) and [RFC 9449, 7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)
 */
export function presentedToken(authorization: string | undefined, missingDetail?: string): PresentedToken {
  // RFC 6750 3.1: without credentials, or with another scheme, the challenge carries no error
  if (authorization === undefined || !/^(Bearer|DPoP)( |$)/i.test(authorization))
    throw new Fault('token.missing', missingDetail === undefined ? {} : { detail: missingDetail })
  const [, scheme, token] = form.exec(authorization) ?? []
  if (token === undefined) {
    const detail =
      'Authorization is malformed: it is Bearer or DPoP, a blank and the token alone, without quotation marks.'
    throw new Fault('token.invalid', { detail })
  }
  return { scheme: scheme?.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}

/**
 * As {@link presentedToken}, for tokens that are never bound to a key: another scheme than Bearer is `token.missing`.
 */
export function bearerToken(authorization: string | undefined, missingDetail?: string): string {
  const isDpop = authorization !== undefined && /^DPoP( |$)/i.test(authorization)
  return presentedToken(isDpop ? undefined : authorization, missingDetail).token
}
