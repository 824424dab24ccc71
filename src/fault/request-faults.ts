import type { FaultRow } from './row.ts'

/** Refusals of requests in general: form, caller, directory, outbound calls. */
export const requestFaults = {
  // requests in general
  'request.malformed': { api: [400, 'MALFORMED_JSON'], title: 'The body is not well-formed.' },
  'request.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    scim: 'invalidValue',
    title: 'The request does not match its schema.',
  },
  'request.broken': { api: [400, 'MALFORMED_HTTP'], title: 'The request is not valid HTTP.' },
  'request.timeout': {
    api: [408, 'REQUEST_TIMEOUT'],
    oauth: [408, 'invalid_request'],
    title: 'The request did not arrive in time.',
  },
  'request.headers_too_large': {
    api: [431, 'HEADERS_TOO_LARGE'],
    oauth: [431, 'invalid_request'],
    title: 'The headers or the URL are too large.',
  },
  'request.too_large': {
    api: [413, 'PAYLOAD_TOO_LARGE'],
    oauth: [413, 'invalid_request'],
    title: 'The body is too large.',
  },
  'request.media_type': {
    api: [415, 'UNSUPPORTED_MEDIA_TYPE'],
    oauth: [415, 'invalid_request'],
    title: 'The content type is not supported.',
  },
  'request.not_acceptable': {
    api: [406, 'NOT_ACCEPTABLE'],
    oauth: [406, 'invalid_request'],
    title: 'None of the accepted media types is available.',
  },
  'request.method': {
    api: [405, 'METHOD_NOT_ALLOWED'],
    oauth: [405, 'invalid_request'],
    title: 'The method is not allowed for this path.',
  },
  'request.rate_limited': { api: [429, 'RATE_LIMITED'], oauth: [429, 'slow_down'], title: 'Too many requests.' },
  'resource.unknown': { api: [404, 'NOT_FOUND'], oauth: [404, 'not_found'], title: 'There is no such resource.' },
  'resource.changed': {
    api: [412, 'PRECONDITION_FAILED'],
    oauth: [412, 'invalid_request'],
    scim: 'invalidVers',
    title: 'The resource was changed meanwhile; read it again.',
  },
  'reference.unknown': {
    api: [422, 'REFERENCE_UNKNOWN'],
    title: 'The request names something that the organisation does not have.',
  },
  'state.conflict': {
    api: [409, 'CONFLICT'],
    oauth: [409, 'invalid_request'],
    title: 'The request conflicts with an existing resource.',
    scim: 'uniqueness',
  },
  'state.invalid': {
    api: [409, 'INVALID_STATE'],
    oauth: [409, 'invalid_request'],
    title: 'The current state of the resource does not allow this.',
  },
  'idempotency.mismatch': {
    api: [409, 'IDEMPOTENCY_MISMATCH'],
    oauth: [409, 'invalid_request'],
    title: 'This Idempotency-Key was used for another request.',
  },
  'idempotency.busy': {
    api: [409, 'CONFLICT'],
    oauth: [409, 'invalid_request'],
    title: 'The first request with this Idempotency-Key is still being processed.',
  },
  // forms of pages
  'form.foreign': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'The form was sent by another website.',
  },
  'form.stale': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'The form does not belong to this session.',
  },
  'server.unexpected': {
    api: [500, 'INTERNAL_ERROR'],
    oauth: [500, 'server_error'],
    title: 'An unexpected error occurred.',
  },
  'database.unavailable': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The database is temporarily unavailable; try again.',
  },
  'journal.unavailable': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The change was made but could not be written to the revocation journal; repeat the request.',
  },
  'server.stopping': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The server is stopping; try again.',
  },
  'encoding.invalid': { api: [400, 'VALIDATION_ERROR'], title: 'A value is not encoded correctly.' },
  // callers
  'token.missing': { api: [401, 'UNAUTHORIZED'], oauth: [401, 'invalid_token'], title: 'An access token is required.' },
  'token.invalid': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'invalid_token'],
    title: 'The access token is invalid or expired.',
  },
  'token.dpop_proof': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'invalid_dpop_proof'],
    title: 'The DPoP proof is missing or invalid.',
  },
  'token.dpop_nonce': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'use_dpop_nonce'],
    title: 'The DPoP proof needs the nonce of the DPoP-Nonce header.',
  },
  'scope.missing': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'insufficient_scope'],
    title: 'The access token lacks a required scope.',
  },
  // directory
  'owner.last': {
    api: [409, 'CONFLICT'],
    oauth: [400, 'invalid_request'],
    title: 'The organisation would have no owner any more. Make another user an owner first.',
  },
  'role.above_caller': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'A role gives more than the caller may do.',
  },
  'user.no_external_identifier': {
    api: [404, 'NO_EXTERNAL_IDENTIFIER'],
    oauth: [404, 'not_found'],
    title: 'The user has no external identifier.',
  },
  // outbound
  'upstream.refused': { api: [502, 'UPSTREAM_ERROR'], title: 'Calls to this address are not allowed.' },
  'upstream.unreachable': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The remote server is unreachable.',
  },
  'upstream.timeout': {
    api: [504, 'UPSTREAM_TIMEOUT'],
    oauth: [504, 'server_error'],
    title: 'The remote server did not respond in time.',
  },
  'upstream.too_large': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The response of the remote server is too large.',
  },
  'upstream.media_type': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The remote server responded with an unexpected content type.',
  },
  'upstream.busy': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The issuer or verifier is not available at the moment; try again.',
  },
  'upstream.answer': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The remote server responded with an error.',
  },
} as const satisfies Record<string, FaultRow>
