import { Fault } from '../../fault.ts'

const form = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/**
 * The token of a request: in the Authorization header, nowhere else [VCI-C4].
 *
 * @param wanted What a caller that sent none is told to send.
 * @throws Fault `token.missing` also if it is of another scheme, `token.invalid`
 * @see [RFC 6750, 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)
 */
export function bearerToken(authorization: string | undefined, wanted?: string): string {
  // RFC 6750 3.1: without credentials, or with those of another scheme, the answer names no error
  if (authorization === undefined || !/^Bearer( |$)/i.test(authorization))
    throw new Fault('token.missing', wanted === undefined ? {} : { detail: wanted })
  const token = form.exec(authorization)?.[1]
  if (token === undefined) throw new Fault('token.invalid', { detail: 'The Authorization header is malformed.' })
  return token
}
