import type { IncomingHttpHeaders } from 'node:http'

/** The form of a request. A parameter without a value counts as omitted (RFC 6749 3.2). */
export type TokenForm = Readonly<Record<string, string>>

/** A request of a client as received. */
export type ClientRequest = {
  readonly headers: IncomingHttpHeaders
  readonly form: TokenForm
  readonly ip: string
  readonly requestId: string
}

/** A token response. @see [RFC 6749, 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1) */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'Bearer' | 'DPoP'
  readonly expires_in: number
  /** Left out where nothing was granted by scope. */
  readonly scope?: string
  readonly authorization_details?: readonly object[]
  readonly issued_token_type?: string
  readonly refresh_token?: string
  readonly id_token?: string
}
