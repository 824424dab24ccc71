import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listVocabulary } from '../scripts/print-vocabulary.ts'

/**
 * The public names as they were published. Clients, webhook receivers and reports depend on them. When this test fails:
 *
 * - a name is missing from the code: it was renamed or removed. Do not change this list; keep the name in the code.
 * - the code has a new name: add it here at its place, run `npm run docs`, and name it in CHANGELOG.md.
 */
const frozen = {
  eventTypes: `
    openid4vc.issuance.offered
    openid4vc.issuance.partiallyIssued
    openid4vc.issuance.deferred
    openid4vc.issuance.completed
    openid4vc.issuance.failed
    openid4vc.issuance.expired
    openid4vc.verification.requested
    openid4vc.verification.verified
    openid4vc.verification.failed
    openid4vc.verification.expired
    issuance.refused
    credential.accepted
    credential.rejected
    credential.revoked
    credential.suspended
    credential.reinstated
    deployment.restored
    certificate.expiring
    user.created
    user.deleted
    user.destroyed
    user.notification`,
  auditActions: `
    certificate.activated
    certificate.created
    certificate.deactivated
    certificate.imported
    certificate.issued
    certificate.revoked
    certificate.signed
    certificate_signing_request.created
    certificate_signing_request.expired
    client.changed
    client.created
    client.token_created
    client.token_deleted
    client.deleted
    client.secret_created
    client.secret_deleted
    credential_template.archived
    credential_template.created
    credential_template.replaced
    credential_template.restored
    deployment.keys_rotated
    identity_provider.changed
    identity_provider.created
    identity_provider.deleted
    identity_provider.linked
    issuance.approved
    issuance.attributes_viewed
    issuance.canceled
    issuance.offer_mail_failed
    issuance.offer_mailed
    issuance.offer_viewed
    issuance.refilled
    issuance.reminded
    issuance.reoffered
    issuance.reopened
    issuance.tx_code_refused
    issuance_batch.created
    passkey.added
    passkey.removed
    presentation_request.claims_deleted
    presentation_template.archived
    presentation_template.created
    presentation_template.replaced
    session.ended
    tenant.changed
    tenant.created
    tenant.destroyed
    tenant.removed
    trusted_entity.created
    trusted_entity.deleted
    trusted_entity.replaced
    user.changed
    user.roles_retained
    user.restored
    user.authenticated
    user.authorized
    user.grant_reused
    user.grant_revoked
    user.impersonated
    user_group.changed
    user_group.created
    user_group.deleted
    user.link_created
    user.link_used
    user.locked
    user.names_confirmed
    user.password_changed
    user.wallet_emptied
    verification_page.changed
    verification_page.created
    verification_page.deleted
    wallet_credential.accepted
    wallet_credential.received
    wallet_credential.refilled
    wallet_credential.reinstated
    wallet_credential.rejected
    wallet_credential.removed
    wallet_credential.reset
    wallet_credential.revoked
    wallet_credential.suspended
    wallet_delivery.created
    wallet_delivery.failed
    wallet_presentation.answered
    wallet_presentation.failed
    wallet_presentation.prepared
    wallet_presentation.rejected
    wallet_shared_link.created
    wallet_shared_link.ended
    webhook_endpoint.changed
    webhook_endpoint.created
    webhook_endpoint.deleted
    webhook_endpoint.disabled
    webhook_endpoint.redelivered
    webhook_endpoint.secret_rotated
    webhook_endpoint.tested`,
  subjectKinds: `
    certificate
    certificate_signing_request
    client
    credential
    credential_template
    deployment
    identity_provider
    issuance
    issuance_batch
    passkey
    presentation_request
    presentation_template
    session
    tenant
    trusted_entity
    user
    user_group
    verification_page
    wallet_credential
    wallet_delivery
    wallet_presentation
    wallet_shared_link
    webhook_endpoint`,
  scopes: `
    wallet:read
    wallet:write
    issuance:read
    issuance:write
    verification:read
    verification:write
    trust:read
    trust:write
    users:read
    users:write
    users:impersonate
    tokens:introspect
    webhooks:write
    events:read
    audit:read
    tenant:admin
    platform:admin`,
  roles: `
    holder
    issuer
    verifier
    trust-admin
    user-admin
    auditor
    owner`,
  errorCodes: `
    AUTHORIZATION_REQUIRED
    CERTIFICATE_INVALID
    CONFIRMATION_REQUIRED
    CONFLICT
    CREDENTIAL_INVALID
    FORBIDDEN
    HEADERS_TOO_LARGE
    IDEMPOTENCY_MISMATCH
    INTERNAL_ERROR
    INVALID_STATE
    MALFORMED_HTTP
    MALFORMED_JSON
    METHOD_NOT_ALLOWED
    NOT_ACCEPTABLE
    NOT_FOUND
    NOT_IMPLEMENTED
    NO_ACTIVE_CERTIFICATE
    NO_EXTERNAL_IDENTIFIER
    NO_MATCHING_CREDENTIAL
    OFFER_UNUSABLE
    PAYLOAD_TOO_LARGE
    PRECONDITION_FAILED
    RATE_LIMITED
    REFERENCE_UNKNOWN
    REQUEST_INVALID
    REQUEST_TIMEOUT
    TX_CODE_REQUIRED
    UNAUTHORIZED
    UNAVAILABLE
    UNSUPPORTED_FORMAT
    UNSUPPORTED_MEDIA_TYPE
    UNTRUSTED_ISSUER
    UPSTREAM_ERROR
    UPSTREAM_TIMEOUT
    VALIDATION_ERROR`,
  oauthErrors: `
    access_denied
    consent_required
    credential_request_denied
    insufficient_scope
    invalid_authorization_details
    invalid_client
    invalid_client_attestation
    invalid_credential_request
    invalid_dpop_proof
    invalid_encryption_parameters
    invalid_grant
    invalid_nonce
    invalid_notification_id
    invalid_notification_request
    invalid_proof
    invalid_request
    invalid_request_uri
    invalid_request_uri_method
    invalid_scope
    invalid_target
    invalid_token
    invalid_transaction_data
    invalid_transaction_id
    login_required
    not_found
    page_closed
    registration_not_supported
    request_not_supported
    request_uri_not_supported
    server_error
    slow_down
    temporarily_unavailable
    unauthorized_client
    unknown_credential_configuration
    unknown_credential_identifier
    unsupported_grant_type
    unsupported_response_type
    unsupported_token_type
    use_attestation_challenge
    use_dpop_nonce
    use_fresh_attestation
    vp_formats_not_supported`,
}

for (const [kind, names] of Object.entries(listVocabulary())) {
  test(`the published ${kind} are those of the code`, () => {
    assert.deepEqual(names, frozen[kind as keyof typeof frozen].trim().split(/\s+/))
  })
}

test('a name has the one form: snake_case resource, then a word in the past tense', () => {
  const { auditActions, subjectKinds } = listVocabulary()
  for (const kind of subjectKinds) assert.match(kind, /^[a-z]+(_[a-z]+)*$/)
  for (const action of auditActions) {
    const [resource = '', change = '', ...rest] = action.split('.')
    assert(subjectKinds.includes(resource) && rest.length === 0, action)
    assert.match(change, /^([a-z]+_)*([a-z]+ed|reset)$/, action)
  }
})
