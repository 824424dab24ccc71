import { Fault } from '../../../fault.ts'

/**
 * Why a sign-in at a provider failed; `docs/people.md` says of each what to do. Audit entries and log lines have it, so
 * these texts are part of their form.
 */
export type FailureReason =
  | 'unavailable'
  | 'address'
  | 'media_type'
  | 'declined'
  | 'authorization'
  | 'client'
  | 'code'
  | 'issuer'
  | 'audience'
  | 'nonce'
  | 'clock'
  | 'signature'
  | 'claims'
  | 'subject'
  | 'userinfo'
  | 'response'

/** The subject of an ID token has another form than OpenID Connect Core 1.0, 2, requires. */
export class InvalidSubject extends Error {}

const BY_CLAIM: Readonly<Record<string, FailureReason>> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'audience',
  nonce: 'nonce',
}
const BY_CODE: Readonly<Record<string, (facts: Facts) => FailureReason>> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: ({ error }) => (error === 'access_denied' ? 'declined' : 'authorization'),
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: () => 'client',
  OAUTH_RESPONSE_BODY_ERROR: ({ error }) => (error === 'invalid_client' ? 'client' : 'code'),
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: ({ attribute }) => (attribute === 'issuer' ? 'issuer' : 'userinfo'),
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ({ claim }) => BY_CLAIM[String(claim)] ?? 'claims',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: () => 'clock',
  OAUTH_KEY_SELECTION_FAILED: () => 'signature',
  OAUTH_UNSUPPORTED_OPERATION: ({ body }) => (body === undefined ? 'signature' : 'response'),
  OAUTH_INVALID_RESPONSE: ({ header, signature, claims, parameters }) => {
    if (header !== undefined || signature !== undefined) return 'signature'
    if (parameters !== undefined) return 'issuer'
    return claims === undefined ? 'response' : 'claims'
  },
}
const BY_FAULT: Readonly<Record<string, FailureReason>> = {
  'upstream.unreachable': 'unavailable',
  'upstream.timeout': 'unavailable',
  'upstream.refused': 'address',
  'upstream.answer': 'address',
  'upstream.media_type': 'media_type',
}

/** What openid-client keeps of a failed check, in `cause`. Its values are parts of responses, and never logged. */
type Facts = Readonly<Record<string, unknown>>

/** Returns why a sign-in failed, by the error of openid-client, of the outbound client or of this folder. */
export function failureReason(error: unknown): FailureReason {
  if (error instanceof InvalidSubject) return 'subject'
  const fault = causesOf(error).find((one) => one instanceof Fault)
  if (fault !== undefined) return BY_FAULT[fault.code] ?? 'response'
  return BY_CODE[codeOf(error)]?.(factsOf(error)) ?? 'response'
}

/**
 * Returns what was found wrong: the error code that the provider answered, the code of the fault of the outbound
 * client, or words of openid-client that hold nothing of a response; undefined if none is known.
 */
export function failureDetail(error: unknown): string | undefined {
  const { error: code } = factsOf(error)
  if (typeof code === 'string' && /^[a-z_]{1,64}$/.test(code)) return code
  const fault = causesOf(error).find((one) => one instanceof Fault)
  return fault?.code ?? causesOf(error).findLast(({ name }) => CHECKS.includes(name))?.message
}

/** Names of errors of openid-client and oauth4webapi whose messages are fixed texts. */
const CHECKS = ['ClientError', 'OperationProcessingError', 'UnsupportedOperationError']

function factsOf(error: unknown): Facts {
  const own = error instanceof Error && 'error' in error ? { error: error.error } : {}
  const cause = causesOf(error).at(-1)?.cause
  return { ...(typeof cause === 'object' ? cause : null), ...own }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The error and its causes, the innermost last. */
function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}
