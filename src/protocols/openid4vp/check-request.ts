import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Recipient } from '../../crypto/jwe.ts'
import { Fault, faultOf } from '../../fault.ts'
import { parseQuery } from '../dcql/parse-query.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { CLOCK_SKEW_SECONDS, isNumericDate } from '../numeric-date.ts'
import { isTextList } from '../shape.ts'
import type { AuthenticatedRequest } from './authenticate-request.ts'
import type { ClientId } from './client-id.ts'
import { ENCRYPTED_MODE, recipientOf } from './encryption.ts'
import { STATIC_WALLET_AUDIENCE } from './request-object.ts'
import { parseTransactionData, type Transactions, type TransactionTypes } from './transactions.ts'

/** A request that the wallet may respond to with the holder's consent. */
export type CheckedRequest = {
  readonly client: ClientId
  readonly responseUri: string
  readonly nonce: string
  readonly state: string | null
  readonly query: DcqlQuery
  /** The formats that both verifier and wallet support; never empty. */
  readonly formats: readonly string[]
  readonly expiresAt: Date | null
  /** The key to encrypt the response to; null if it is not encrypted. */
  readonly recipient: Recipient | null
  /** What the holder authorizes besides; mostly nothing. */
  readonly transactions: Transactions
}

/** Capabilities of this wallet. */
export type WalletPolicy = {
  /** The formats of the credentials in the wallet: `dc+sd-jwt`, `mso_mdoc`. */
  readonly formats: readonly string[]
  /** JOSE algorithm of the holder keys. */
  readonly holderAlg: 'ES256'
  /** The nonce that this wallet posted for the request object. [VP-U2] */
  readonly walletNonce?: string
  /** Where the request object was fetched from. */
  readonly requestUri?: string
  /** The types of transaction data that this wallet knows; none by default. */
  readonly transactionTypes?: TransactionTypes
}

/** No specification bounds a nonce or a state; some verifiers keep a signed token in it. */
const CHARS_MAX = 8192

/**
 * Checks the parameters of an authenticated request as a wallet.
 *
 * @throws Fault `presentation_request.…`, `dcql.invalid`
 * @see [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request) and [8.5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-error-response)
 */
export function checkRequest(request: AuthenticatedRequest, wallet: WalletPolicy, now: Date): CheckedRequest {
  const { client, responseUri, parameters, inObject } = request
  const expiresAt = inObject ? checkObject(parameters, wallet, now) : null
  checkResponse(parameters)
  const { client_metadata: metadata } = parameters
  const query = queryOf(parameters)
  // [VP-T6] OpenID4VP 1.0, 5.1: transaction_data MUST be rejected where its type is not supported
  const transactions = parseTransactionData(parameters.transaction_data, query, wallet.transactionTypes ?? new Map())
  return {
    client,
    responseUri,
    nonce: nonceOf(parameters.nonce),
    state: stateOf(parameters.state, query),
    query,
    formats: formatsOf(metadata, wallet),
    expiresAt,
    recipient: parameters.response_mode === ENCRYPTED_MODE ? recipientOf(metadata) : null,
    transactions,
  }
}

/** Checks audience, times and wallet nonce of a request object (OpenID4VP 1.0, 5.8 and 5.10.1). */
function checkObject(
  { aud, exp, nbf, iat, wallet_nonce }: JsonObject,
  { walletNonce, requestUri }: WalletPolicy,
  now: Date,
): Date | null {
  const seconds = now.getTime() / 1000
  // [VP-R6] OpenID4VP 1.0, 5.8; some verifiers name the address of the object instead. RFC 7519 4.1.3: a list may have
  // one element
  const audiences = Array.isArray(aud) ? aud : [aud ?? STATIC_WALLET_AUDIENCE]
  if (!audiences.some((one) => one === STATIC_WALLET_AUDIENCE || (one !== undefined && one === requestUri)))
    throw refused('The request object is for another audience.')
  if (exp !== undefined && !(isNumericDate(exp) && exp > seconds - CLOCK_SKEW_SECONDS))
    throw new Fault('presentation_request.invalid', {
      detail: 'The request has expired.',
      meta: { rule: 'request.expired' },
    })
  if (nbf !== undefined && !(isNumericDate(nbf) && nbf <= seconds + CLOCK_SKEW_SECONDS))
    throw refused('The request is not valid yet.')
  if (iat !== undefined && !(isNumericDate(iat) && iat <= seconds + CLOCK_SKEW_SECONDS))
    throw refused('iat of the request is in the future.')
  // [VP-U2] OpenID4VP 1.0, 5.10: abort if it is missing or different
  if (walletNonce !== undefined && wallet_nonce !== walletNonce)
    throw refused('The request object was not made for this fetch.')
  return isNumericDate(exp) ? new Date(exp * 1000) : null
}

function checkResponse(parameters: JsonObject): void {
  if (parameters.response_type !== 'vp_token') throw refused('response_type is not vp_token.')
  // [VP-S8] 5: REQUIRED; modes that are not supported are invalid_request
  const { response_mode: mode } = parameters
  if (mode === undefined) throw refused('response_mode is missing.')
  if (mode !== 'direct_post' && mode !== ENCRYPTED_MODE) throw refused('response_mode is not supported.')
  // [VP-S2] OpenID4VP 1.0, 8.2
  if (parameters.redirect_uri !== undefined) throw refused('redirect_uri must not be used with direct_post.')
  // RFC 9101 4: a request object does not refer to another one
  if (parameters.request !== undefined || parameters.request_uri !== undefined) throw refused('The request is nested.')
}

function queryOf({ dcql_query: query, scope }: JsonObject): DcqlQuery {
  // [VP-R2] OpenID4VP 1.0, 5.1: exactly one of the two; no scope is supported
  if (query === undefined) throw refused('dcql_query is missing.')
  if (scope !== undefined) throw refused('dcql_query and scope exclude each other.')
  return parseQuery(query)
}

function nonceOf(nonce: Json | undefined): string {
  // [VP-R1] OpenID4VP 1.0, 5.2
  return urlSafe('nonce', nonce)
}

function stateOf(state: Json | undefined, query: DcqlQuery): string | null {
  // [VP-R3] OpenID4VP 1.0, 5.3: without holder binding only state ties the response to the request.
  if (state === undefined && query.credentials.every((one) => one.holderBinding)) return null
  return urlSafe('state', state)
}

/** The formats that both sides support; all of the wallet's if the verifier lists none (OpenID4VP 1.0, 11.1). */
function formatsOf(metadata: Json | undefined, { formats, holderAlg }: WalletPolicy): readonly string[] {
  if (metadata !== undefined && !isJsonObject(metadata)) throw refused('client_metadata is not an object.')
  const supported = metadata?.vp_formats_supported
  if (supported === undefined) return formats
  if (!isJsonObject(supported)) throw refused('vp_formats_supported is not an object.')
  const mutual = formats.filter((format) => supportsFormat(supported[format], format, holderAlg))
  if (mutual.length === 0) throw new Fault('presentation_request.formats')
  return mutual
}

function supportsFormat(entry: Json | undefined, format: string, holderAlg: string): boolean {
  if (!isJsonObject(entry)) return false
  // OpenID4VP 1.0, B.3.4 and B.2.2: algorithms of the holder's signature; ES256 on P-256 is -7, or -9 since RFC 9864
  if (format === 'mso_mdoc') {
    const algs = entry.deviceauth_alg_values
    return !Array.isArray(algs) || algs.includes(-7) || algs.includes(-9)
  }
  const algs = entry['kb-jwt_alg_values']
  return !isTextList(algs) || algs.includes(holderAlg)
}

function urlSafe(name: 'nonce' | 'state', value: Json | undefined): string {
  if (typeof value !== 'string') throw refused(`${name} is missing or not a string.`)
  if (value.length > CHARS_MAX) throw refused(`${name} is longer than ${CHARS_MAX} characters.`)
  // OpenID4VP 1.0, 5.2
  if (!/^[A-Za-z0-9._~-]+$/.test(value))
    throw refused(`${name} is empty or has other characters than letters, digits, "-", ".", "_" and "~".`)
  return value
}

const refused = faultOf('presentation_request.invalid')
