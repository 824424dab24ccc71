type Row = {
  /** HTTP status and code in the API envelope. */
  readonly api: readonly [status: number, code: string]
  /** HTTP status and code where the caller is a wallet or an OAuth client. */
  readonly oauth: readonly [status: number, error: string]
  readonly title: string
}

/** Every way to say no. Stable code = the thing and what is wrong with it; one row answers both families of callers. */
export const faults = {
  // requests in general
  'request.malformed': {
    api: [400, 'MALFORMED_JSON'],
    oauth: [400, 'invalid_request'],
    title: 'The body is not well-formed.',
  },
  'request.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The request does not fit its schema.',
  },
  'request.too_large': {
    api: [413, 'PAYLOAD_TOO_LARGE'],
    oauth: [413, 'invalid_request'],
    title: 'The body is too large.',
  },
  'request.media_type': {
    api: [415, 'UNSUPPORTED_MEDIA_TYPE'],
    oauth: [415, 'invalid_request'],
    title: 'The content type is not supported here.',
  },
  'request.not_acceptable': {
    api: [406, 'NOT_ACCEPTABLE'],
    oauth: [406, 'invalid_request'],
    title: 'None of the accepted media types is available.',
  },
  'request.method': {
    api: [405, 'METHOD_NOT_ALLOWED'],
    oauth: [405, 'invalid_request'],
    title: 'This path does not have that method.',
  },
  'request.rate_limited': { api: [429, 'RATE_LIMITED'], oauth: [429, 'slow_down'], title: 'Too many requests.' },
  'resource.unknown': { api: [404, 'NOT_FOUND'], oauth: [404, 'not_found'], title: 'There is no such resource.' },
  'state.conflict': {
    api: [409, 'CONFLICT'],
    oauth: [409, 'invalid_request'],
    title: 'It clashes with something that exists.',
  },
  'state.invalid': {
    api: [409, 'INVALID_STATE'],
    oauth: [409, 'invalid_request'],
    title: 'The present state does not allow this.',
  },
  'server.unexpected': {
    api: [500, 'INTERNAL_ERROR'],
    oauth: [500, 'server_error'],
    title: 'Something went wrong on our side.',
  },
  'server.stopping': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The server is stopping; try again.',
  },
  'encoding.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'A value is not encoded as it must be.',
  },
  // cryptographic and credential forms
  'json.malformed': {
    api: [400, 'MALFORMED_JSON'],
    oauth: [400, 'invalid_request'],
    title: 'The JSON is not well-formed, nests too deep or repeats a member name.',
  },
  'key.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The key is not a P-256 or Ed25519 public key.',
  },
  'jws.malformed': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'It is not a well-formed signed JWT.',
  },
  'jws.refused': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The signed JWT is not acceptable.',
  },
  'sd_jwt.malformed': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The credential is not a well-formed SD-JWT.',
  },
  'sd_jwt.unissuable': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'These claims cannot be made into an SD-JWT VC.',
  },
  'sd_jwt.unpresentable': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'The credential cannot disclose what was asked for.',
  },
  'did.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The DID is malformed or of a method that is not supported.',
  },
  'did.unresolvable': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The DID document does not yield the key.',
  },
  'issuer.undiscoverable': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The key of the issuer cannot be found.',
  },
  // callers
  'token.missing': { api: [401, 'UNAUTHORIZED'], oauth: [401, 'invalid_token'], title: 'An access token is needed.' },
  'token.invalid': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'invalid_token'],
    title: 'The access token is not valid here.',
  },
  'scope.missing': { api: [403, 'FORBIDDEN'], oauth: [403, 'insufficient_scope'], title: 'The token lacks a scope.' },
  // directory
  'user.no_external_identifier': {
    api: [404, 'NO_EXTERNAL_IDENTIFIER'],
    oauth: [404, 'not_found'],
    title: 'The user has no external identifier.',
  },
  // the token endpoint of the platform
  'client.unauthenticated': {
    api: [401, 'UNAUTHORIZED'],
    oauth: [401, 'invalid_client'],
    title: 'The client could not be authenticated.',
  },
  'client.unauthorized': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'unauthorized_client'],
    title: 'The client may not use this grant.',
  },
  'grant.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unsupported_grant_type'],
    title: 'The grant type is not supported.',
  },
  'grant.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_grant'],
    title: 'The grant is wrong, used or has run out.',
  },
  'scope.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_scope'],
    title: 'The scope is unknown or goes beyond what is allowed.',
  },
  'target.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_target'],
    title: 'Tokens for that audience are not issued here.',
  },
  // outbound
  'upstream.refused': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The address may not be called.',
  },
  'upstream.unreachable': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The other side could not be reached.',
  },
  'upstream.timeout': {
    api: [504, 'UPSTREAM_TIMEOUT'],
    oauth: [504, 'server_error'],
    title: 'The other side did not answer in time.',
  },
  'upstream.too_large': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The other side answered with too much.',
  },
  'upstream.media_type': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The other side answered with another content type.',
  },
  'upstream.answer': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [502, 'server_error'],
    title: 'The other side answered with an error.',
  },
  // wallet: what a holder's wallet will not take, or cannot do for the caller
  'holder.missing': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'A wallet belongs to a user, and this token names none.',
  },
  'offer.unusable': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'invalid_grant'],
    title: 'The credential offer cannot be redeemed.',
  },
  'offer.tx_code_required': {
    api: [422, 'TX_CODE_REQUIRED'],
    oauth: [400, 'invalid_request'],
    title: 'The offer needs a transaction code.',
  },
  'offer.authorization_required': {
    api: [422, 'AUTHORIZATION_REQUIRED'],
    oauth: [400, 'invalid_request'],
    title: 'The holder has to sign in at the issuer.',
  },
  'offer.format': {
    api: [422, 'UNSUPPORTED_FORMAT'],
    oauth: [400, 'invalid_request'],
    title: 'The offer has no credential in a format that this wallet takes.',
  },
  'credential.invalid': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The issuer sent a credential that does not hold.',
  },
  'credential.unmatched': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'No accepted credential answers the request.',
  },
  'presentation.undelivered': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The verifier did not take the answer.',
  },
  // protocols: what a foreign wallet, issuer or verifier sent
  'offer.malformed': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'invalid_request'],
    title: 'The credential offer cannot be used.',
  },
  'issuer_metadata.invalid': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'invalid_request'],
    title: "The issuer's metadata cannot be used.",
  },
  'issuer_answer.invalid': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'invalid_request'],
    title: 'The issuer answered with something unusable.',
  },
  'credential_request.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'The credential request is not well-formed.',
  },
  'credential_encryption.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_encryption_parameters'],
    title: 'The encryption asked for is not supported.',
  },
  'key_proof.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_proof'],
    title: 'The key proof is not acceptable.',
  },
  'nonce.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_nonce'],
    title: 'The nonce is unknown, spent or has run out.',
  },
  'notification.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_notification_request'],
    title: 'The notification is not well-formed.',
  },
  'dcql.invalid': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The DCQL query is not valid.',
  },
  'presentation_template.unsupported': {
    api: [422, 'UNSUPPORTED_FORMAT'],
    oauth: [400, 'invalid_request'],
    title: 'No request can be made from the template yet.',
  },
  'presentation_request.closed': {
    api: [409, 'INVALID_STATE'],
    oauth: [400, 'invalid_request'],
    title: 'The presentation request is not open: answered, cancelled or run out.',
  },
  'presentation_request.invalid': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The presentation request is not valid.',
  },
  'presentation_request.client': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_client'],
    title: 'The verifier cannot be identified as it asks to be.',
  },
  'presentation_request.uri_method': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_request_uri_method'],
    title: 'The request_uri_method is neither get nor post.',
  },
  'presentation_request.transaction_data': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_transaction_data'],
    title: 'Transaction data is not supported.',
  },
  'presentation_request.formats': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'vp_formats_not_supported'],
    title: 'The verifier takes no format that this wallet has.',
  },
  'presentation_response.invalid': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The presentation response is not well-formed.',
  },
  'status_list.invalid': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The status list cannot be used.',
  },
  // issuance: what a wallet or the caller asks of our issuer
  'attributes.rejected': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'The attributes do not fit the template.',
  },
  'template.format': {
    api: [422, 'UNSUPPORTED_FORMAT'],
    oauth: [400, 'invalid_request'],
    title: 'Credentials of this format are not issued here.',
  },
  'certificate.none_active': {
    api: [409, 'NO_ACTIVE_CERTIFICATE'],
    oauth: [400, 'credential_request_denied'],
    title: 'There is no active certificate to sign with.',
  },
  'authorization_details.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_authorization_details'],
    title: 'The authorization details are not covered by the offer.',
  },
  'credential_configuration.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unknown_credential_configuration'],
    title: 'The access token is not good for this credential configuration.',
  },
  'credential_identifier.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unknown_credential_identifier'],
    title: 'The access token is not good for this credential identifier.',
  },
  'credential_request.denied': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'credential_request_denied'],
    title: 'The credential is not issued (any more).',
  },
  'notification.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_notification_id'],
    title: 'The notification id is not known for this access token.',
  },
  'status_list.historical': {
    api: [501, 'NOT_IMPLEMENTED'],
    oauth: [501, 'invalid_request'],
    title: 'Status lists of the past are not kept.',
  },
} as const satisfies Record<string, Row>

/** A stable code of {@link faults}. */
export type FaultCode = keyof typeof faults

/** One thing that is wrong with a request: `pointer` is RFC 6901 into the body, `parameter` names a query or path member. */
export type Violation = { readonly detail: string; readonly pointer?: string; readonly parameter?: string }

type More = {
  /** Shown to the caller: what happened and what to do. Never a token, code, claim or key. */
  readonly detail?: string
  readonly violations?: readonly Violation[]
  /** Shown to the caller, machine-readable. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Only logged. */
  readonly notes?: string
  readonly cause?: unknown
}

/** A refusal. Whatever is thrown and is no Fault is a defect of ours and is shown as `server.unexpected` only. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly detail: string | undefined
  readonly violations: readonly Violation[] | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly notes: string | undefined

  constructor(code: FaultCode, more: More = {}) {
    super(more.detail ?? faults[code].title, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.detail = more.detail
    this.violations = more.violations
    this.meta = more.meta
    this.notes = more.notes
  }
}
