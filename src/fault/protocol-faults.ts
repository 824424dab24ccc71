import type { Row } from './row.ts'

/** Refusals of credentials, offers, requests and answers: what wallets, issuers and verifiers sent or want. */
export const protocolFaults = {
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
  'cbor.malformed': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'The CBOR is not well-formed, or goes beyond what is read.',
  },
  'cose.malformed': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    title: 'It is not a well-formed COSE_Sign1.',
  },
  'mdoc.malformed': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The credential or its presentation is not a well-formed mdoc.',
  },
  'mdoc.unissuable': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'These elements cannot be made into an mdoc.',
  },
  'mdoc.unpresentable': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'The mdoc cannot disclose what was asked for.',
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
  'issuer.untrusted': {
    api: [403, 'UNTRUSTED_ISSUER'],
    oauth: [403, 'access_denied'],
    title: 'The organisation does not take credentials of this issuer.',
  },
  // wallet: what a holder's wallet will not take, or cannot do for the caller
  'holder.missing': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'A wallet belongs to a user, and this token names none.',
  },
  'wallet.full': {
    api: [409, 'INVALID_STATE'],
    oauth: [400, 'invalid_request'],
    title: 'The wallet holds as many credentials as it may; remove some first.',
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
  'credential.untrusted': {
    api: [422, 'CREDENTIAL_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The organisation does not trust the issuer that signed the credential.',
  },
  'credential.unmatched': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'No accepted credential answers the request.',
  },
  'presentation.postponed': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The verifier cannot take the answer at this moment. It can be given again.',
  },
  'presentation.unconfirmed': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The verifier may have the answer, but did not confirm it.',
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
    title: 'The presentation request is not open: answered, canceled or run out.',
  },
  'presentation_request.response_code': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: "The result is shown only with the response_code that came back with the holder's browser.",
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
  'presentation_response.undecided': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'An issuer cannot be reached, so the presentation cannot be checked at this moment. It may be sent again.',
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
  'certificate.invalid': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate cannot be used.',
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
