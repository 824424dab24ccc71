import type { FaultRow } from './row.ts'

/** Refusals of authorization servers: of the authorization endpoint, and of clients and grants. */
export const authorizationFaults = {
  'login.required': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [400, 'login_required'],
    title: 'The user has to sign in.',
  },
  'consent.required': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'consent_required'],
    title: 'The user has to allow the client.',
  },
  'consent.denied': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'access_denied'],
    title: 'The user did not allow the client.',
  },
  'response_type.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unsupported_response_type'],
    title: 'The only response_type is code.',
  },
  'request_object.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'request_not_supported'],
    title: 'Request objects are not supported.',
  },
  'request_uri.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'request_uri_not_supported'],
    title: 'A request_uri comes from the pushed authorization request endpoint only.',
  },
  'request_uri.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request_uri'],
    title: 'The request_uri is unknown, used or expired.',
  },
  'registration.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'registration_not_supported'],
    title: 'The registration parameter is not supported.',
  },
  // authorization servers: other endpoints
  'dpop_proof.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_dpop_proof'],
    title: 'The DPoP proof is missing or invalid.',
  },
  'dpop_nonce.required': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'use_dpop_nonce'],
    title: 'The DPoP proof needs the nonce of the DPoP-Nonce header.',
  },
  'token_type.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unsupported_token_type'],
    title: 'Tokens of this type cannot be revoked.',
  },
  'client.unauthenticated': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'invalid_client'],
    title: 'Client authentication failed.',
  },
  'client_attestation.challenge': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'use_attestation_challenge'],
    title: 'The proof of possession needs the challenge of the OAuth-Client-Attestation-Challenge header.',
  },
  'client_attestation.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_client_attestation'],
    title: 'The client attestation or its proof of possession is invalid.',
  },
  'client_attestation.stale': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'use_fresh_attestation'],
    title: 'The client attestation has expired.',
  },
  'client.unauthorized': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'unauthorized_client'],
    title: 'The client is not allowed to use this grant.',
  },
  'grant.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unsupported_grant_type'],
    title: 'The grant type is not supported.',
  },
  'grant.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_grant'],
    title: 'The grant is invalid, used or expired.',
  },
  'scope.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_scope'],
    title: 'The scope is unknown or not granted.',
  },
  'target.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_target'],
    title: 'Tokens for this audience are not issued.',
  },
} as const satisfies Record<string, FaultRow>
