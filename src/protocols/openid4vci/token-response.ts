import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { faultOf } from '../../fault.ts'
import { isText, isTextList, statedMembers } from '../shape.ts'

/** The members that a wallet uses of a token response. */
export type TokenResponse = {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly expiresInSeconds: number | null
  readonly refreshToken: string | null
  /**
   * Credential identifiers by configuration id. null, also in place of the identifiers of one configuration: request by
   * configuration id. [W-A4]
   */
  readonly credentialIdentifiers: ReadonlyMap<string, readonly (string | null)[]> | null
}

const TOKEN_CHARS_MAX = 16_384

/**
 * Validates a token response as a wallet. Unknown members are ignored.
 *
 * @param isDpop Whether a DPoP proof was sent. A response of type `Bearer` is refused then. [W-A5]
 * @throws Fault `issuer_answer.invalid`
 * @see [OpenID4VCI 1.0, 6.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-successful-token-response)
 */
export function readTokenResponse(body: unknown, isDpop: boolean): TokenResponse {
  const value = statedMembers(body)
  if (value === null) throw unusable('The token response is not a JSON object.')
  const { access_token: accessToken, token_type: type, expires_in: expiresIn, refresh_token: refreshToken } = value
  if (!isText(accessToken, TOKEN_CHARS_MAX)) throw unusable('The token response has no access_token.')
  // RFC 6749 5.1: token_type is REQUIRED and compared without case.
  const tokenType = typeof type === 'string' ? type.toLowerCase() : ''
  if (tokenType !== (isDpop ? 'dpop' : 'bearer')) throw unusable('The access token does not have the requested type.')
  return {
    accessToken,
    tokenType: isDpop ? 'DPoP' : 'Bearer',
    expiresInSeconds: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : null,
    refreshToken: isText(refreshToken, TOKEN_CHARS_MAX) ? refreshToken : null,
    credentialIdentifiers: readDetails(value.authorization_details),
  }
}

const requestEnds = ['answered', 'canceled', 'expired'] as const

/** How a presentation request ended, as a verifier of this kind of server says it. */
export type RequestEnd = (typeof requestEnds)[number]

/**
 * Returns the error code of an OAuth error body, for messages and logs; null if it has none. Untrusted text is cut to
 * 200 characters of printable ASCII.
 */
export function readErrorResponse(value: unknown): {
  readonly error: string
  readonly description: string | null
  readonly triesLeft: number | null
  readonly requestEnd: RequestEnd | null
} | null {
  if (!isJsonObject(value) || !isText(value.error, 100)) return null
  return {
    error: printable(value.error),
    description: isText(value.error_description) ? printable(value.error_description) : null,
    requestEnd: requestEnds.find((one) => one === value.request_end) ?? null,
    triesLeft: Number.isInteger(value.tries_left) ? Math.min(Math.max(Number(value.tries_left), 0), 100) : null,
  }
}

type Named = readonly [configurationId: string, identifiers: readonly (string | null)[]]

function readDetails(value: unknown): TokenResponse['credentialIdentifiers'] {
  if (value === undefined) return null
  if (!Array.isArray(value)) throw unusable('authorization_details is not an array.')
  const ours = value.filter((one): one is JsonObject => isJsonObject(one) && one.type === 'openid_credential')
  if (ours.length === 0) return null
  return new Map(
    ours.map(({ credential_configuration_id: id, credential_identifiers: identifiers = [] }): Named => {
      if (!isText(id)) throw unusable('authorization_details lacks credential_configuration_id.')
      // OpenID4VCI 1.0, 6.2: REQUIRED and non-empty; servers written to the drafts up to 13 return the details as sent
      if (Array.isArray(identifiers) && identifiers.length === 0) return [id, [null]]
      if (!isTextList(identifiers)) throw unusable('credential_identifiers is not an array of strings.')
      return [id, identifiers]
    }),
  )
}

function printable(text: string): string {
  return text.slice(0, 200).replace(/[^\x20-\x7E]/g, '?')
}

const unusable = faultOf('issuer_answer.invalid')
