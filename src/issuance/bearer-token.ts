import { Fault } from '../fault.ts'

const form = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/**
 * The access token of a request at the protocol surface: in the Authorization header, nowhere else [VCI-C4].
 *
 * @throws Fault `token.missing` also if it is of another scheme, `token.invalid`
 * @see [RFC 6750, 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)
 */
export function bearerToken(authorization: string | undefined): string {
  // RFC 6750 3.1: without credentials, or with those of another scheme, the answer names no error
  if (authorization === undefined || !/^Bearer( |$)/i.test(authorization)) throw new Fault('token.missing')
  const token = form.exec(authorization)?.[1]
  if (token === undefined) throw new Fault('token.invalid')
  return token
}
