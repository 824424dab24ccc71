/**
 * The event types that webhooks and the event stream carry, each with the sentence that `docs/vocabulary.md` prints.
 * Each is an action of the audit trail too; every other action stays there.
 */
const eventTypes = {
  'openid4vc.issuance.offered': 'An issuance was created and its credential offer can be redeemed.',
  'openid4vc.issuance.partiallyIssued':
    'Some credentials of an issuance were issued. Reserved: an issuance has one credential.',
  'openid4vc.issuance.deferred': 'A wallet asked for a credential that needs approval; approve or deny the issuance.',
  'openid4vc.issuance.completed': 'A wallet fetched the credential; `detail.credentialId` is its id.',
  'openid4vc.issuance.failed':
    'The issuance ended without a credential: too many wrong transaction codes (`detail.cause` is `txCode`), the wallet could not store it (`wallet`), or it was denied (`denied`).',
  'openid4vc.issuance.expired': 'No wallet fetched the credential in time.',
  'openid4vc.verification.requested': 'A presentation request was created.',
  'openid4vc.verification.verified': 'A presentation was received and passed every check.',
  'openid4vc.verification.failed':
    'A presentation was received and failed a check (`detail.status` is `failed`), or the holder declined (`rejected`).',
  'openid4vc.verification.expired':
    'No presentation was received in time, or the request was canceled (`detail.canceled`).',
  'issuance.refused':
    'A wallet asked for a credential that cannot be issued to the user `detail.userId`: required claims of the identity provider are missing (`detail.cause` is `missing`) or do not fit the template (`invalid`); `detail.attributes` names the attributes.',
  'credential.accepted': 'The wallet reported that its holder accepted the credential.',
  'credential.rejected': 'The wallet reported that its holder rejected or deleted the credential.',
  'credential.revoked': 'The issuer revoked the credential; this is final.',
  'credential.suspended': 'The issuer suspended the credential.',
  'credential.reinstated': 'The issuer ended the suspension of the credential.',
  'deployment.restored':
    'An older state of the database was restored; `detail.since` is its time. What happened after it is lost, except for revocations that the journal had.',
  'certificate.expiring': 'The certificate expires within `detail.withinDays` days: 90, 30, 7 or 1.',
  'user.created': 'A user was added to the directory.',
  'user.deleted': 'A user was deleted; the wallet is destroyed later (`detail.destroyAt`), or at once.',
  'user.destroyed': 'The wallet and the keys of a deleted user were destroyed; this is final.',
  'user.notification':
    'A credential or presentation request was delivered to the wallet of a user, the issuer changed the status of a credential that the user holds, or one ends soon (`detail.kind` is `ending`). Send the user a message of your own.',
} as const

const auditOnlyActions = {
  'certificate.activated': 'The certificate signs from now on.',
  'certificate.created': 'A root certificate was created.',
  'certificate.deactivated': 'The certificate no longer signs.',
  'certificate.imported': 'An externally signed certificate was attached to its signing request.',
  'certificate.issued': 'A root of the tenant issued a signing certificate for the tenant itself.',
  'certificate.revoked': 'The certificate was revoked; this is final.',
  'certificate.signed': 'A root of the tenant signed a certificate signing request.',
  'certificate_signing_request.created': 'A key and a certificate signing request were created.',
  'certificate_signing_request.expired': 'No certificate was imported in time; the key is destroyed.',
  'client.changed':
    'Members of the client were changed; `detail.members` names them, unless the bootstrap file changed it.',
  'client.created': 'A client was created.',
  'client.token_created': 'A provisioning token of the client was created.',
  'client.token_deleted': 'A provisioning token was revoked; `detail.tokenId` is its id.',
  'client.deleted': 'The client was deleted with its secrets.',
  'client.secret_created':
    'The client has a new secret; the former one ends later or at once (`detail.overlapSeconds`).',
  'client.secret_deleted': 'A secret of the client was ended; `detail.secretId` is its id.',
  'credential_template.archived': 'The credential template was archived; nothing more can be issued from it.',
  'credential_template.created': 'A credential template was created.',
  'credential_template.replaced': 'The credential template was replaced by a new version.',
  'credential_template.restored': 'The archived credential template was made active again.',
  'deployment.keys_rotated':
    'The tenant has a new key that seals personal data and private keys; stored values are sealed anew.',
  'identity_provider.changed': 'Members of the identity provider were changed.',
  'identity_provider.created': 'An identity provider was created.',
  'identity_provider.deleted': 'The identity provider was deleted; its tokens are refused.',
  'identity_provider.linked': 'A user was linked to an account at an identity provider.',
  'issuance.approved': 'The deferred credential was approved; the wallet fetches it at its next poll.',
  'issuance.attributes_viewed':
    'The caller read the attributes of an issuance, which are kept for corrections or since its offer is open.',
  'issuance.canceled': 'The issuance was canceled before a wallet fetched the credential.',
  'issuance.offer_mail_failed': 'The link of the offer could not be mailed; `detail.reason` says why.',
  'issuance.offer_mailed': 'The mail server took the mail with the link of the offer.',
  'issuance.offer_viewed':
    'The caller was shown offer links that can be redeemed, of one issuance, of those in `detail.ids`, or of a ' +
    'batch. Recorded once in ten minutes.',
  'issuance.refilled':
    'The wallet got new copies of the credential for other keys; they have entries of their own in the status list.',
  'issuance.reminded':
    'The caller had the link of an open offer mailed again, or those of a batch; `detail.count` is how many.',
  'issuance.reoffered':
    'The credential offer can be redeemed again: the wallet lost the answer, or the issuer offered it again.',
  'issuance.reopened': 'The credential could not be signed; the issuance is no longer completed.',
  'issuance.tx_code_refused': 'A wallet sent a wrong transaction code.',
  'issuance_batch.created': 'A batch of issuances was accepted for processing.',
  'passkey.added': 'The user registered a passkey.',
  'passkey.removed': 'The user removed a passkey.',
  'presentation_request.claims_deleted': 'The claims and findings of a presentation request were erased on request.',
  'presentation_template.archived': 'The presentation template was archived; no request can be created from it.',
  'presentation_template.created': 'A presentation template was created.',
  'presentation_template.replaced': 'The presentation template was replaced.',
  'session.ended':
    'A session of the user `detail.userId` was ended: by sign-out, from the list of sessions, or by a change of the password.',
  'tenant.changed':
    'Members of the tenant were changed; `detail.members` names them, unless the bootstrap file changed it.',
  'tenant.created': 'The tenant was created.',
  'tenant.destroyed':
    'The last row of a removed tenant is gone; this is final. In the trail of the platform; `detail.rows` counts them.',
  'tenant.removed':
    'The tenant `detail.slug` was closed, and what is stored for it is removed; `detail` counts what it had. In the ' +
    'trail of the platform.',
  'trusted_entity.created': 'A trusted entity was created.',
  'trusted_entity.deleted': 'The trusted entity was deleted.',
  'trusted_entity.replaced': 'The trusted entity was replaced.',
  'user.changed': 'Members of the user were changed; `detail.members` names them.',
  'user.roles_retained':
    'The identity provider at which the user signed in did not state the claim of roles; the user keeps those ' +
    'of before.',
  'user.restored': 'A deleted user was restored with the wallet.',
  'user.authenticated': 'The user signed in (`detail.methods`, RFC 8176), or failed to.',
  'user.authorized': 'A client got tokens for the user, who had signed in and allowed it.',
  'user.grant_reused':
    'A client used an authorization code or refresh token again; the tokens that came from it have ended.',
  'user.grant_revoked': 'A client revoked its refresh token for the user.',
  'user.impersonated':
    "A client got a wallet token of the user, a provider's access token stood for the user, a provider that names " +
    'people linked an account of it to one in use, or a link to one was told to a caller or the operator; ' +
    '`detail.way` says which. Refused attempts too.',
  'user_group.changed': 'Name, roles or members of the group were changed; `detail` names them and counts the members.',
  'user_group.created': 'A group of users was created.',
  'user_group.deleted': 'The group was deleted; its members lost its roles.',
  'user.link_created':
    'A one-time link was created for the user; `detail.purpose` says what for, `detail.way` by which way it ' +
    'opens the account.',
  'user.link_used': 'The one-time link was used.',
  'user.locked':
    'Too many sign-ins with the name of the user failed; more from the same network or device are refused for a while.',
  'user.names_confirmed':
    'The user confirmed the username, e-mail address or external identifier that a caller had changed.',
  'user.password_changed': 'The password of the user was set.',
  'user.wallet_emptied': 'The user deleted everything in the wallet; `detail.credentials` counts the credentials.',
  'verification_page.changed': 'Members of the verification page were changed; `detail.members` names them.',
  'verification_page.created': 'A verification page was created.',
  'verification_page.deleted': 'The verification page was deleted.',
  'wallet_credential.accepted': 'The holder accepted the credential.',
  'wallet_credential.received': 'A credential was stored in the wallet as pending.',
  'wallet_credential.refilled': 'The copies of the held credential were replaced by new ones of its issuer.',
  'wallet_credential.reinstated': 'The issuer ended the suspension of the held credential.',
  'wallet_credential.rejected': 'The holder rejected the credential.',
  'wallet_credential.removed': 'The holder removed the credential and its keys.',
  'wallet_credential.reset': 'The holder set the credential back to pending.',
  'wallet_credential.revoked': 'The issuer revoked the held credential.',
  'wallet_credential.suspended': 'The issuer suspended the held credential.',
  'wallet_delivery.created': 'A delivery to the wallet of a user was created.',
  'wallet_delivery.failed': 'The delivery failed; `detail.code` says why.',
  'wallet_presentation.answered': 'The holder shared the selected credentials with the verifier.',
  'wallet_presentation.failed': 'The verifier did not accept the response.',
  'wallet_presentation.prepared': 'A presentation request was stored in the wallet as pending.',
  'wallet_presentation.rejected': 'The holder declined the presentation request.',
  'wallet_shared_link.created': 'The holder created a link that shows claims of a credential.',
  'wallet_shared_link.ended': 'The holder ended a link before its time.',
  'webhook_endpoint.changed': 'Members of the webhook endpoint were changed.',
  'webhook_endpoint.created': 'A webhook endpoint was created.',
  'webhook_endpoint.deleted': 'The webhook endpoint was deleted.',
  'webhook_endpoint.disabled': 'The webhook endpoint was disabled by the server; `detail.reason` says why.',
  'webhook_endpoint.redelivered': 'A webhook delivery was enqueued again on request.',
  'webhook_endpoint.secret_rotated': 'The webhook endpoint has a new signing secret.',
  'webhook_endpoint.tested': 'A test message was sent to the webhook endpoint.',
} as const

/** Every action that the audit trail can record, with the sentence that `docs/vocabulary.md` prints. */
export const auditActions = { ...eventTypes, ...auditOnlyActions } as const

/**
 * Every kind of subject that an audit entry or event can be about, with the sentence that `docs/vocabulary.md` prints.
 */
export const subjectKinds = {
  certificate: 'A certificate of the tenant.',
  certificate_signing_request: 'A certificate signing request.',
  client: 'An OAuth client.',
  credential: 'An issued credential, at its issuer.',
  credential_template: 'What credentials are issued from.',
  deployment: 'The servers and their database as a whole.',
  identity_provider: 'An external OpenID provider at which users of the tenant sign in.',
  issuance: 'A credential offer and the credential issued from it.',
  issuance_batch: 'Up to 10,000 issuances created by one request.',
  passkey: 'A passkey of a user.',
  presentation_request: 'What a verifier requested, and its result.',
  presentation_template: 'What presentation requests are created from.',
  session: 'A browser in which a user is signed in.',
  tenant: 'An organisation.',
  trusted_entity: 'An issuer or verifier that the tenant trusts.',
  user: 'A person in the directory.',
  user_group: 'A group of users, which gives its roles to its members.',
  verification_page: 'A page on which visitors show credentials.',
  wallet_credential: 'A credential in the wallet of a user.',
  wallet_delivery: 'A credential offer or presentation request that an organisation sent to the wallet of a user.',
  wallet_presentation: 'A presentation request in the wallet of a user, and the answer.',
  wallet_shared_link: 'A link by which a user shows claims of a credential to whoever opens it.',
  webhook_endpoint: 'An address that receives events.',
} as const

/** An action of the audit trail: one of {@link auditActions}. */
export type AuditAction = keyof typeof auditActions

/** One of {@link subjectKinds}. */
export type SubjectKind = keyof typeof subjectKinds

/** An event type that webhooks and the event stream carry. */
export type PublicEvent = keyof typeof eventTypes

/** Returns whether an action of the audit trail is a public event too. */
export function isPublicEvent(action: string): action is PublicEvent {
  return Object.hasOwn(eventTypes, action)
}

/** Every {@link PublicEvent}. */
export const publicEvents = Object.keys(eventTypes).filter(isPublicEvent)
/** Of `subject.name`. */
export const SUBJECT_NAME =
  'In lists: the name of the subject as it is now, of an issuance or a request that of its template. Absent if it is gone; of users without `users:read`.'

/** Of `names`. */
export const OTHER_NAMES = 'In lists: names of the other ids of the entry, by id, as far as they have one.'
