import type { IncomingHttpHeaders } from 'node:http'
import type { TokenForm } from './client-proof.ts'

/** A token request as received. */
export type TokenRequest = {
  readonly headers: IncomingHttpHeaders
  readonly form: TokenForm
  readonly ip: string
  readonly requestId: string
}

/** A token response. @see [RFC 6749, 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1) */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
  readonly issued_token_type?: string
}
