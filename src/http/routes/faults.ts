import type { FaultRow } from '../../fault/row.ts'
import { Fault, type FaultCode, faults, type Violation } from '../../fault.ts'
import { DatabaseUnavailable } from '../../store/database-unavailable.ts'

/** The response to a refused request. */
type Refusal = {
  readonly status: number
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

const VIOLATIONS_MAX = 100

/** Returns the fault of an error. An unknown error is `server.unexpected`, with the error as its cause. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof DatabaseUnavailable) return new Fault('database.unavailable', { cause: error })
  const code = frameworkFaults[codeOf(error)]
  return code === undefined ? new Fault('server.unexpected', { cause: error }) : new Fault(code, frameworkDetails[code])
}

/** Returns the API's error envelope. An unexpected error shows only its id, which is that of the request's log line. */
export function toErrors(error: unknown, id: string): Refusal {
  const fault = asFault(error)
  const { api, oauth, title } = faults[fault.code]
  const [status, code] = api
  const found: readonly Violation[] = fault.violations ?? [{ detail: fault.detail ?? title }]
  const errors = found.slice(0, VIOLATIONS_MAX).map(({ detail, pointer, parameter, rule, limit }, index) => ({
    id: index === 0 ? id : `${id}.${index}`,
    status: String(status),
    code,
    title,
    detail,
    ...(pointer === undefined && parameter === undefined ? {} : { source: sourceOf(pointer, parameter) }),
    ...metaOf(fault.meta, rule ?? reasonOf(fault, code), limit),
  }))
  const body = fault.links === undefined ? { errors } : { errors, links: fault.links }
  const named = oauth[1].includes('dpop') ? oauth[1] : 'invalid_token'
  return { status, body, headers: headersOf(fault, status, challengeOf(fault, named)) }
}

/** API codes of several faults, which a caller may have to tell apart: the rule names the fault. */
const shared: ReadonlySet<string> = new Set([
  'OFFER_UNUSABLE',
  'REQUEST_INVALID',
  'CREDENTIAL_INVALID',
  'UPSTREAM_ERROR',
  'UNAVAILABLE',
])

function reasonOf({ code, meta }: Fault, apiCode: string): string | undefined {
  return shared.has(apiCode) && meta?.rule === undefined ? code : undefined
}

function metaOf(meta: Fault['meta'], rule: string | undefined, limit: Violation['limit']) {
  if (meta === undefined && rule === undefined) return {}
  return { meta: { ...meta, ...(rule !== undefined && { rule }), ...(limit !== undefined && { limit }) } }
}

/** Returns the OAuth error of the protocol surface. @see [RFC 6749, 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2) */
export function toOAuthError(error: unknown): Refusal {
  const fault = asFault(error)
  const { oauth, title } = faults[fault.code]
  const [status, code] = oauth
  const text = fault.detail ?? fault.violations?.map((one) => one.detail).join(' ') ?? title
  // RFC 6749 5.2: error_description is printable ASCII without quotation mark and backslash
  const description = text.slice(0, 500).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
  const { triesLeft: left, offerState, requestEnd: end } = fault.meta ?? {}
  // RFC 6749 5.2: clients ignore members that they do not know
  const body = {
    error: code,
    error_description: description,
    ...(typeof left === 'number' && { tries_left: left }),
    ...(typeof offerState === 'string' && { offer_state: offerState }),
    ...(typeof end === 'string' && { request_end: end }),
  }
  return { status, body, headers: headersOf(fault, status, challengeOf(fault, code)) }
}

/** Returns the error of the provisioning surface. @see [RFC 7644, 3.12](https://www.rfc-editor.org/rfc/rfc7644#section-3.12) */
export function toScimError(error: unknown): Refusal {
  const fault = asFault(error)
  const { api, title, scim }: FaultRow = faults[fault.code]
  const [status] = api
  const detail = fault.detail ?? fault.violations?.map((one) => one.detail).join(' ') ?? title
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  const body = { schemas, status: String(status), ...(scim !== undefined && { scimType: scim }), detail }
  return { status, body, headers: headersOf(fault, status, challengeOf(fault, 'invalid_token')) }
}

function sourceOf(pointer: string | undefined, parameter: string | undefined) {
  return pointer === undefined ? { parameter } : { pointer }
}

/** RFC 6750 3: without credentials the challenge carries no error; otherwise the error, and the required scope. */
function challengeOf(fault: Fault, error: string): string {
  // RFC 6749 5.2: the challenge has the scheme of the client's Authorization header
  if (error === 'invalid_client') return 'Basic realm="chirograph"'
  const scheme = error.includes('dpop') ? 'DPoP' : 'Bearer'
  if (fault.code === 'token.missing') return `${scheme} realm="chirograph"`
  const scope = fault.meta?.requiredScope
  const named = fault.code === 'scope.missing' ? 'insufficient_scope' : error
  // RFC 9449 7.1: the challenge names the algorithms
  const algs = scheme === 'DPoP' ? ', algs="ES256 EdDSA Ed25519"' : ''
  return `${scheme} realm="chirograph", error="${named}"${typeof scope === 'string' ? `, scope="${scope}"` : ''}${algs}`
}

function headersOf(fault: Fault, status: number, challenge: string): Record<string, string> {
  const headers: Record<string, string> = {}
  if (status === 401 || fault.code === 'scope.missing') headers['www-authenticate'] = challenge
  const wait = fault.meta?.retryAfterSeconds
  const isRetryable = status === 429 || status === 503 || fault.code === 'idempotency.busy'
  if (isRetryable) headers['retry-after'] = String(typeof wait === 'number' ? Math.ceil(wait) : 1)
  // RFC 9449 8: the nonce of the next proof
  if (typeof fault.meta?.dpopNonce === 'string') headers['dpop-nonce'] = fault.meta.dpopNonce
  // draft-ietf-oauth-attestation-based-client-auth-10, 7.2: the challenge of the next proof of possession
  const challenged = fault.meta?.attestationChallenge
  if (typeof challenged === 'string') headers['oauth-client-attestation-challenge'] = challenged
  const allow = fault.meta?.allow
  if (status === 405 && Array.isArray(allow)) headers.allow = allow.join(', ')
  return headers
}

const frameworkFaults: Readonly<Record<string, FaultCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed',
  FST_ERR_BAD_URL: 'resource.unknown',
  FST_ERR_MAX_PARAM_LENGTH: 'resource.unknown',
}

const frameworkDetails: Partial<Record<FaultCode, { readonly detail: string }>> = {
  'request.too_large': { detail: 'The body may have at most 1 MiB.' },
  'request.media_type': { detail: 'The Content-Type is not one media type, such as application/json.' },
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
