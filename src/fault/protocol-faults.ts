import type { FaultRow } from './row.ts'

/** Refusals of credentials, credential offers, presentation requests and responses. */
export const protocolFaults = {
  // cryptographic and credential formats
  'json.malformed': {
    api: [400, 'MALFORMED_JSON'],
    title: 'The JSON is not well-formed, is nested too deeply or repeats a member name.',
  },
  'key.unsupported': { api: [400, 'VALIDATION_ERROR'], title: 'The key is not a P-256 or Ed25519 public key.' },
  'jws.malformed': { api: [400, 'VALIDATION_ERROR'], title: 'The value is not a well-formed signed JWT.' },
  'jws.refused': { api: [400, 'VALIDATION_ERROR'], title: 'The signed JWT is not accepted.' },
  'cbor.malformed': { api: [400, 'VALIDATION_ERROR'], title: 'The CBOR is not well-formed or exceeds a limit.' },
  'cose.malformed': { api: [400, 'VALIDATION_ERROR'], title: 'The value is not a well-formed COSE_Sign1.' },
  'mdoc.malformed': {
    api: [422, 'CREDENTIAL_INVALID'],
    title: 'The credential or its presentation is not a well-formed mdoc.',
  },
  'mdoc.unissuable': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'No mdoc can be issued with these elements.',
  },
  'mdoc.unpresentable': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'The mdoc cannot disclose the requested elements.',
  },
  'sd_jwt.malformed': { api: [422, 'CREDENTIAL_INVALID'], title: 'The credential is not a well-formed SD-JWT.' },
  'sd_jwt.unissuable': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'No SD-JWT VC can be issued with these claims.',
  },
  'sd_jwt.unpresentable': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'The credential cannot disclose the requested claims.',
  },
  'did.unsupported': { api: [400, 'VALIDATION_ERROR'], title: 'The DID is malformed or its method is not supported.' },
  'did.unresolvable': {
    api: [422, 'CREDENTIAL_INVALID'],
    title: 'The DID document cannot be resolved or does not contain the key.',
  },
  'issuer.undiscoverable': { api: [422, 'CREDENTIAL_INVALID'], title: 'The key of the issuer cannot be found.' },
  'issuer.untrusted': {
    api: [403, 'UNTRUSTED_ISSUER'],
    oauth: [403, 'access_denied'],
    title: 'The organisation does not trust this issuer.',
  },
  // wallet
  'holder.missing': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'Wallet operations need the token of a user.',
  },
  'push.off': { api: [409, 'INVALID_STATE'], title: 'This deployment sends no messages to browsers.' },
  'wallet.full': { api: [409, 'INVALID_STATE'], title: 'The wallet is full; remove credentials first.' },
  'shared_link.off': { api: [403, 'FORBIDDEN'], title: 'The organisation lets nobody share by a link.' },
  'shared_link.too_many': { api: [409, 'INVALID_STATE'], title: 'The wallet has too many links; end some first.' },
  'shared_link.format': {
    api: [422, 'UNSUPPORTED_FORMAT'],
    title: 'Only an SD-JWT VC that is bound to a key of the wallet can be shared by a link.',
  },
  'shared_link.too_large': { api: [422, 'REQUEST_INVALID'], title: 'What would be shared is too large for a link.' },
  'offer.unusable': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'invalid_grant'],
    title: 'The credential offer cannot be redeemed.',
  },
  'offer.tx_code_required': {
    api: [422, 'TX_CODE_REQUIRED'],
    title: 'The credential offer requires a transaction code.',
  },
  'offer.authorization_required': {
    api: [422, 'AUTHORIZATION_REQUIRED'],
    title: 'The holder has to sign in at the issuer.',
  },
  'offer.format': {
    api: [422, 'UNSUPPORTED_FORMAT'],
    title: 'The credential offer has no credential in a format that this wallet supports.',
  },
  'credential.invalid': { api: [422, 'CREDENTIAL_INVALID'], title: 'The issuer sent an invalid credential.' },
  'credential.untrusted': {
    api: [422, 'CREDENTIAL_INVALID'],
    title: 'The organisation does not trust the issuer that signed the credential.',
  },
  'credential.unmatched': {
    api: [422, 'NO_MATCHING_CREDENTIAL'],
    oauth: [400, 'access_denied'],
    title: 'No accepted credential matches the request.',
  },
  'presentation.postponed': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The verifier is temporarily unavailable. The response can be sent again.',
  },
  'presentation.unconfirmed': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The verifier may have received the response, but did not confirm it.',
  },
  'presentation.confirmation_required': {
    api: [403, 'CONFIRMATION_REQUIRED'],
    title: 'The organisation wants the person to sign in again before this is shared.',
  },
  'presentation.closed': {
    api: [422, 'REQUEST_INVALID'],
    title: 'The request had ended before the response arrived. The verifier refused it unread.',
  },
  'presentation.undelivered': { api: [422, 'REQUEST_INVALID'], title: 'The verifier did not accept the response.' },
  // messages of foreign wallets, issuers and verifiers
  'offer.malformed': { api: [422, 'OFFER_UNUSABLE'], title: 'The credential offer is malformed.' },
  'issuer_metadata.invalid': { api: [422, 'OFFER_UNUSABLE'], title: "The issuer's metadata is invalid." },
  'issuer_answer.invalid': { api: [422, 'OFFER_UNUSABLE'], title: 'The response of the issuer is invalid.' },
  'authorization_response.invalid': {
    api: [422, 'OFFER_UNUSABLE'],
    title: 'The response of the authorization server is invalid.',
  },
  'credential_request.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'The credential request is not well-formed.',
  },
  'credential_encryption.unsupported': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_encryption_parameters'],
    title: 'The requested encryption is not supported.',
  },
  'key_proof.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_proof'],
    title: 'The key proof is invalid.',
  },
  'nonce.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_nonce'],
    title: 'The nonce is unknown, used or expired.',
  },
  'notification.invalid': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_notification_request'],
    title: 'The notification is not well-formed.',
  },
  'dcql.invalid': { api: [422, 'REQUEST_INVALID'], title: 'The DCQL query is not valid.' },
  'presentation_request.closed': {
    api: [409, 'INVALID_STATE'],
    title: 'The presentation request is not open: it was answered, canceled or has expired.',
  },
  'presentation_request.response_code': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: "The result requires the response_code or the session of the holder's browser.",
  },
  'verification_page.closed': {
    api: [409, 'INVALID_STATE'],
    oauth: [409, 'page_closed'],
    title: 'The verification page is closed.',
  },
  'verification_page.origin': {
    api: [403, 'FORBIDDEN'],
    oauth: [403, 'access_denied'],
    title: 'The origin is not listed by the owner of the verification page.',
  },
  'presentation_request.invalid': { api: [422, 'REQUEST_INVALID'], title: 'The presentation request is not valid.' },
  'presentation_request.client': {
    api: [422, 'REQUEST_INVALID'],
    oauth: [400, 'invalid_client'],
    title: 'The client_id of the verifier cannot be verified.',
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
    title: 'The verifier supports no format of this wallet.',
  },
  'presentation_response.invalid': {
    api: [422, 'REQUEST_INVALID'],
    title: 'The presentation response is not well-formed.',
  },
  'presentation_response.undecided': {
    api: [502, 'UPSTREAM_ERROR'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'An issuer is unreachable, so the presentation cannot be verified now. It can be sent again.',
  },
  'status_list.invalid': { api: [422, 'CREDENTIAL_INVALID'], title: 'The status list is invalid.' },
  'status_list.untrusted': {
    api: [422, 'CREDENTIAL_INVALID'],
    title: 'The status list is not signed with the key that was expected.',
  },
  'status_list.uncertified': {
    api: [422, 'CREDENTIAL_INVALID'],
    title: 'The status list does not name its signer by x5c without a self-signed certificate.',
  },
  // issuance
  'attributes.rejected': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_credential_request'],
    title: 'The attributes do not match the template.',
  },
  'certificate.invalid': { api: [422, 'CERTIFICATE_INVALID'], title: 'The certificate is invalid.' },
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
  'attributes.unavailable': {
    api: [503, 'UNAVAILABLE'],
    oauth: [400, 'temporarily_unavailable'],
    title: 'The organisation cannot say at the moment what the credential is to contain.',
  },
  'claims.invalid': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'server_error'],
    title: 'What the identity provider states about the user does not fit the credential.',
  },
  'claims.missing': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'access_denied'],
    title: 'The identity provider does not state what the credential requires about the user.',
  },
  'credential.not_prepared': {
    api: [403, 'FORBIDDEN'],
    oauth: [400, 'access_denied'],
    title: 'The organisation has no such credential for this user.',
  },
  'credential_configuration.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unknown_credential_configuration'],
    title: 'The access token does not authorize this credential configuration.',
  },
  'credential_identifier.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'unknown_credential_identifier'],
    title: 'The access token does not authorize this credential identifier.',
  },
  'credential_request.denied': {
    api: [422, 'OFFER_UNUSABLE'],
    oauth: [400, 'credential_request_denied'],
    title: 'The credential is not issued, or no longer.',
  },
  'transaction.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_transaction_id'],
    title: 'The transaction_id is unknown for this access token, or its credential was issued.',
  },
  'notification.unknown': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_notification_id'],
    title: 'The notification_id is unknown for this access token.',
  },
  'status_list.historical': {
    api: [501, 'NOT_IMPLEMENTED'],
    oauth: [501, 'invalid_request'],
    title: 'Historical status lists are not supported.',
  },
} as const satisfies Record<string, FaultRow>
