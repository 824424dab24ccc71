import { Fault } from '../../fault.ts'

const form = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/**
 * Returns the bearer token of a request. Only the Authorization header is read [VCI-C4].
 *
 * @param missingDetail `detail` of `token.missing`.
 * @throws Fault `token.missing` also for another scheme, `token.invalid`
 * @see [RFC 6750, 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)
 */
export function bearerToken(authorization: string | undefined, missingDetail?: string): string {
  // RFC 6750 3.1: without credentials, or with another scheme, the challenge carries no error
  if (authorization === undefined || !/^Bearer( |$)/i.test(authorization))
    throw new Fault('token.missing', missingDetail === undefined ? {} : { detail: missingDetail })
  const token = form.exec(authorization)?.[1]
  if (token === undefined) throw new Fault('token.invalid', { detail: 'The Authorization header is malformed.' })
  return token
}
