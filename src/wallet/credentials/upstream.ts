import type { Json } from '../../crypto/json.ts'
import { parseJson } from '../../crypto/json.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import type { ForTenant, OutboundAnswer, Platform } from '../../platform.ts'
import { type RequestEnd, readErrorResponse } from '../../protocols/openid4vci/token-response.ts'
import type { PeerPolicy } from '../../protocols/shape.ts'
import { isOutOfReach, isServerTrouble } from '../../trust/lookups/out-of-reach.ts'

/** What an outbound call needs from the platform, and the tenant that is charged. */
export type OutboundPeer = Pick<Platform, 'fetch' | 'config' | 'memory'> & ForTenant

/** [9.2] The most bytes of an answer that are read. */
export const bytesMax = {
  offer: 64 * 1024,
  metadata: 512 * 1024,
  token: 64 * 1024,
  nonce: 16 * 1024,
  credentials: (copies: number) => Math.max(1024 * 1024, copies * 512 * 1024),
  requestObject: 256 * 1024,
  verifierAnswer: 64 * 1024,
  ignored: 16 * 1024,
} as const

/** Returns which issuers and verifiers are allowed: https, and in development also http on a loopback host. */
export function peersOf({ config }: Pick<Platform, 'config'>): PeerPolicy {
  return { allowHttpLoopback: config.isDevelopment }
}

/** Returns whether an answer is a success. A redirect is not: it is not followed with codes, tokens or requests. */
export function isOk({ status }: Pick<OutboundAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Parses the JSON of an answer strictly. @throws Fault `code` if it is malformed */
export function jsonOf({ body }: Pick<OutboundAnswer, 'body'>, code: FaultCode): Json {
  try {
    return parseJson(body)
  } catch (cause) {
    throw new Fault(code, { detail: 'The answer is not well-formed JSON.', cause })
  }
}

/**
 * Makes a fault from an answer that is not a success. The error of the issuer or verifier is in `meta.upstream`, cut
 * and printable; an error code of a specification is in `detail` too, with what of the wallet was refused.
 *
 * @param code For 4xx and redirects. 503 and 429 are `upstream.busy`, 408 and other 5xx `upstream.answer`.
 */
export function upstreamRefusal(
  answer: OutboundAnswer,
  code: FaultCode,
  detail: string,
  meta: Readonly<Record<string, unknown>> = {},
  isFinal = false,
): Fault {
  const upstream = upstreamOf(answer)
  if (isBusy(answer)) return new Fault('upstream.busy', { meta: { upstream, ...retryAfter(answer) } })
  if (isServerTrouble(answer.status)) return new Fault('upstream.answer', { meta: { upstream } })
  const said = withError(detail, upstream.error)
  return new Fault(code, { detail: said, meta: { upstream, ...meta }, isFinal })
}

/** What of the wallet the peer refused, by error code. */
const refusedFeatures: Readonly<Record<string, string>> = {
  invalid_client: 'It refused the authentication of this wallet',
  unauthorized_client: 'It refused the authentication of this wallet',
  invalid_client_attestation: 'It refused the attestation of this wallet',
  use_attestation_challenge: 'It refused the attestation of this wallet',
  use_fresh_attestation: 'It refused the attestation of this wallet',
  invalid_encryption_parameters: 'It refused the encryption of the message',
  invalid_dpop_proof: 'It refused the DPoP proof of this wallet',
  use_dpop_nonce: 'It refused the DPoP proof of this wallet',
  invalid_proof: 'It refused the key proof of this wallet',
  invalid_nonce: 'It refused the key proof of this wallet',
}

/** Returns a detail with the error code of a peer. Its other texts are data, not sentences of this server. */
export function withError(detail: string, error: string | undefined): string {
  if (error === undefined || !/^[a-z0-9_]{1,60}$/.test(error)) return detail
  const feature = Object.hasOwn(refusedFeatures, error) ? refusedFeatures[error] : 'Its error code'
  return `${detail} ${feature}: ${error}.`
}

/** Returns whether an answer asks for a repetition later. @see RFC 9110, 15.6.4, and RFC 6585, 4 */
export function isBusy({ status }: Pick<OutboundAnswer, 'status'>): boolean {
  return status === 503 || status === 429
}

/**
 * Returns `retryAfterSeconds` of an answer, at most an hour, if it states seconds, or a time. A time is compared with
 * that of the answer: the clocks of two servers differ.
 *
 * @see [RFC 9110, 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)
 */
export function retryAfter({ headers }: Pick<OutboundAnswer, 'headers'>): { readonly retryAfterSeconds?: number } {
  const stated = headers['retry-after'] ?? ''
  const seconds = /^\d{1,9}$/.test(stated) ? Number(stated) : httpTime(stated) - httpTime(headers.date)
  return Number.isNaN(seconds) ? {} : { retryAfterSeconds: Math.min(Math.max(seconds, 0), 3600) }
}

/** The seconds of an HTTP date; NaN for another text. */
function httpTime(text = ''): number {
  return text.endsWith(' GMT') ? Date.parse(text) / 1000 : Number.NaN
}

/**
 * Status and OAuth error of an answer that is not a success. `triesLeft`: for a transaction code, as our issuer says
 * it. `requestEnd`: as our verifier says it.
 */
type Upstream = {
  readonly status: number
  readonly error?: string
  readonly errorDescription?: string
  readonly triesLeft?: number
  readonly requestEnd?: RequestEnd
}

/** Returns `meta.upstream` for an answer that is not a success. */
export function upstreamOf(answer: OutboundAnswer): Upstream {
  return { status: answer.status, ...oauthErrorOf(answer) }
}

/** How a presentation request ended: what its verifier says, else what the status means. `over`: not known how. */
type RequestRule = `request.${RequestEnd | 'over' | 'unknown'}`

/**
 * Returns the `rule` of a refusal that is about the end of a presentation request; no member for another one. Nothing
 * proves what a verifier says.
 */
export function requestRuleOf(answer: OutboundAnswer): { readonly rule?: RequestRule } {
  const { requestEnd, status } = upstreamOf(answer)
  if (requestEnd !== undefined) return { rule: `request.${requestEnd}` }
  if (status === 409 || status === 410) return { rule: 'request.over' }
  return status === 404 ? { rule: 'request.unknown' } : {}
}

/** Returns whether a retry may succeed: the issuer or verifier is out of reach, or the error is our own. */
export function isTransientFault(error: unknown): boolean {
  return !(error instanceof Fault) || isOutOfReach(error)
}

/** Returns the OAuth error code of an answer, or null. */
export function errorCodeOf(answer: OutboundAnswer): string | null {
  return oauthErrorOf(answer).error ?? null
}

function oauthErrorOf({ contentType, body }: OutboundAnswer): Omit<Upstream, 'status'> {
  // error bodies are read only where the protocol defines them
  if (contentType !== 'application/json') return {}
  try {
    const found = readErrorResponse(parseJson(body))
    if (found === null) return {}
    const { error, description, triesLeft, requestEnd } = found
    return {
      error,
      ...(description !== null && { errorDescription: description }),
      ...(triesLeft !== null && { triesLeft }),
      ...(requestEnd !== null && { requestEnd }),
    }
  } catch {
    return {}
  }
}
