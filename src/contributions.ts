// What each room contributes to the application.
import { accessRoutes } from './authorization/access/routes.ts'
import { grantsRestore } from './authorization/server/grants/restore-grants.ts'
import { findPendingConsent } from './authorization/server/platform/find-pending-consent.ts'
import { authorizationJobs, authorizationSchedules } from './authorization/server/platform/jobs.ts'
import { authorizationEndpoints } from './authorization/server/platform/public-endpoints.ts'
import { pushedRequestsRestore } from './authorization/server/request/restore-requests.ts'
import { linkJobs, linkMailJobs, linkSchedules } from './authorization/sign-in/links/jobs.ts'
import { consentPages } from './authorization/sign-in/pages/consent-pages.ts'
import { signInEndpoints } from './authorization/sign-in/pages/public-endpoints.ts'
import { signInRoutes } from './authorization/sign-in/pages/routes.ts'
import { passwordJobs, signInSchedules } from './authorization/sign-in/passwords/jobs.ts'
import { signInRestore } from './authorization/sign-in/restore-sign-in.ts'
import { pageSchedules } from './console/jobs.ts'
import { consoleEndpoints } from './console/public-endpoints.ts'
import { clientNames } from './directory/clients/client-names.ts'
import { clientRoutes } from './directory/clients/routes.ts'
import { groupNames } from './directory/groups/group-names.ts'
import { groupRoutes } from './directory/groups/routes.ts'
import { removalSchedules } from './directory/removal/remove-rows.ts'
import { removalRoutes } from './directory/removal/routes.ts'
import { scimEndpoints } from './directory/scim/public-endpoints.ts'
import { provisioningRoutes } from './directory/scim/routes.ts'
import { tenantSchedules } from './directory/tenants/jobs.ts'
import { tenantEndpoints } from './directory/tenants/public-endpoints.ts'
import { resealSchedule } from './directory/tenants/rotate-keys.ts'
import { organisationRoutes } from './directory/tenants/routes.ts'
import { directorySchedules } from './directory/users/destroy-user.ts'
import { directoryRoutes } from './directory/users/routes.ts'
import { userNames } from './directory/users/user-names.ts'
import { eventRoutes } from './events/stream/routes.ts'
import { checkDeliveries } from './events/webhooks/delivery-faults.ts'
import { eventSchedules } from './events/webhooks/jobs.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'
import { holderEndpoints } from './holder/public-endpoints.ts'
import type { Endpoint } from './http/routes/endpoint.ts'
import type { Route } from './http/routes/route.ts'
import { batchJobs, batchSchedules } from './issuance/batches/jobs.ts'
import { batchRoutes } from './issuance/batches/routes.ts'
import { deferralRoutes } from './issuance/deferral/routes.ts'
import { handOutRoutes } from './issuance/hand-out/routes.ts'
import { issuanceSchedules } from './issuance/issuances/jobs.ts'
import { issuanceNames } from './issuance/issuances/origins.ts'
import { issuanceRoutes } from './issuance/issuances/routes.ts'
import { keptAttributesSchedules } from './issuance/kept-attributes/jobs.ts'
import { keptAttributesRoutes } from './issuance/kept-attributes/routes.ts'
import { offerMailJobs, offerMailSchedules } from './issuance/mails/jobs.ts'
import { metadataEndpoints } from './issuance/openid4vci/metadata/public-endpoints.ts'
import { issuanceEndpoints } from './issuance/openid4vci/public-endpoints.ts'
import { reminderRoutes } from './issuance/reminders/routes.ts'
import { replacementSchedules } from './issuance/replacements/jobs.ts'
import { replacements } from './issuance/replacements/replace.ts'
import { issuanceRetention } from './issuance/retention/jobs.ts'
import { statusRestore } from './issuance/status/restore-status.ts'
import { statusRoutes } from './issuance/status/routes.ts'
import { statusCheck } from './issuance/status/status-faults.ts'
import { templateRoutes } from './issuance/templates/routes.ts'
import { typeRoutes } from './issuance/types/routes.ts'
import { jobSchedules } from './jobs/jobs.ts'
import type { Schedule } from './jobs/schedule.ts'
import { type ResealingColumn, resealing } from './keys/reseal.ts'
import { assetEndpoints } from './pages/public-endpoints.ts'
import { sessionEndpoints } from './pages/session/public-endpoints.ts'
import type { IntegrityCheck } from './recovery/integrity.ts'
import type { Restore } from './recovery/restore.ts'
import { statisticsSchedules } from './statistics/jobs.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { trustSchedules } from './trust/certificates/jobs.ts'
import { certificateEndpoints } from './trust/certificates/public-endpoints.ts'
import { certificateRoutes } from './trust/certificates/routes.ts'
import { didEndpoints } from './trust/did/public-endpoints.ts'
import { revocationEndpoints } from './trust/revocation/public-endpoints.ts'
import { revocationRestore } from './trust/revocation/restore-revocation.ts'
import { signingRequestRoutes } from './trust/signing-requests/routes.ts'
import { entityNames } from './trust/trusted-entities/entity-names.ts'
import { trustedEntityRoutes } from './trust/trusted-entities/routes.ts'
import { digitalCredentialEndpoints } from './verification/digital-credentials/public-endpoints.ts'
import { verificationPageSchedules } from './verification/pages/jobs.ts'
import { pageNames } from './verification/pages/page-names.ts'
import { verificationPageEndpoints } from './verification/pages/public-endpoints.ts'
import { verificationPageRoutes } from './verification/pages/routes.ts'
import { verificationSchedules } from './verification/requests/jobs.ts'
import { requestNames } from './verification/requests/origins/origins.ts'
import { requestsRestore } from './verification/requests/request-expiry.ts'
import { verificationRoutes } from './verification/requests/routes.ts'
import { verificationEndpoints } from './verification/responses/public-endpoints.ts'
import { visitorEndpoints } from './visitor/public-endpoints.ts'
import { credentialJobs, credentialSchedules } from './wallet/credentials/jobs.ts'
import { credentialRoutes } from './wallet/credentials/routes.ts'
import { walletDeliveries } from './wallet/deliveries/deliver-issued.ts'
import { deliveryJobs, deliverySchedules } from './wallet/deliveries/jobs.ts'
import { deliveryRoutes } from './wallet/deliveries/routes.ts'
import { displayJobs, displaySchedules } from './wallet/display/jobs.ts'
import { organisationLogo } from './wallet/display/organisation-logo.ts'
import { organisationFaceEndpoints } from './wallet/display/public-endpoints.ts'
import { historySchedules } from './wallet/history/jobs.ts'
import { historyRoutes } from './wallet/history/routes.ts'
import { issuanceSessionPages } from './wallet/issuance-sessions/callback-page.ts'
import { issuanceSessionSchedules } from './wallet/issuance-sessions/jobs.ts'
import { issuanceSessionRoutes } from './wallet/issuance-sessions/routes.ts'
import { issuerAccessSchedules } from './wallet/issuer-access/jobs.ts'
import { walletProviderEndpoints } from './wallet/issuer-access/public-endpoints.ts'
import { orderJobs, orderSchedules } from './wallet/offers/jobs.ts'
import { offerRoutes } from './wallet/offers/routes.ts'
import { ownDataRoutes } from './wallet/own-data/routes.ts'
import { presentationSchedules } from './wallet/presentations/jobs.ts'
import { presentationRoutes } from './wallet/presentations/routes.ts'
import { pushJobs, pushMessageJobs } from './wallet/push/jobs.ts'
import { pushRoutes } from './wallet/push-subscriptions/routes.ts'
import { refillJobs, refillSchedules } from './wallet/refills/jobs.ts'
import { sharedLinkSchedules } from './wallet/shared-links/jobs.ts'
import { sharedLinkEndpoints } from './wallet/shared-links/public-endpoints.ts'
import { sharedLinkRoutes } from './wallet/shared-links/routes.ts'

/** How objects are named in lists of events and audit entries. */
const names = [userNames, clientNames, groupNames, entityNames, issuanceNames, requestNames, pageNames]

/** Our API: every operation of the three groups. */
export const routes: readonly Route[] = [
  ...credentialRoutes,
  ...offerRoutes,
  ...issuanceSessionRoutes,
  ...presentationRoutes,
  ...sharedLinkRoutes,
  ...deliveryRoutes,
  ...historyRoutes,
  ...ownDataRoutes,
  ...pushRoutes,
  ...templateRoutes,
  ...statusRoutes,
  ...batchRoutes(walletDeliveries),
  ...handOutRoutes(organisationLogo),
  ...issuanceRoutes(walletDeliveries, replacements),
  ...reminderRoutes,
  ...keptAttributesRoutes,
  ...deferralRoutes,
  ...typeRoutes,
  ...verificationRoutes,
  ...verificationPageRoutes,
  ...statisticsRoutes,
  ...signingRequestRoutes,
  ...certificateRoutes,
  ...trustedEntityRoutes,
  ...webhookRoutes,
  ...eventRoutes(names),
  ...directoryRoutes,
  ...groupRoutes,
  ...provisioningRoutes,
  ...clientRoutes,
  ...organisationRoutes,
  ...removalRoutes,
  ...accessRoutes,
  ...signInRoutes,
]

/** The protocol surface: what wallets, verifiers and OAuth clients call; and the pages. */
export const endpoints: readonly Endpoint[] = [
  ...scimEndpoints,
  ...signInEndpoints,
  ...consentPages(findPendingConsent),
  ...assetEndpoints,
  ...sessionEndpoints,
  ...consoleEndpoints,
  ...holderEndpoints,
  ...visitorEndpoints,
  ...authorizationEndpoints,
  ...issuanceSessionPages,
  ...organisationFaceEndpoints,
  ...tenantEndpoints,
  ...walletProviderEndpoints,
  ...sharedLinkEndpoints,
  ...metadataEndpoints,
  ...issuanceEndpoints,
  ...verificationEndpoints,
  ...digitalCredentialEndpoints,
  ...verificationPageEndpoints,
  ...didEndpoints,
  ...revocationEndpoints,
  ...certificateEndpoints,
]

/** Background jobs, run by one worker. */
export const jobs = [
  ...authorizationJobs,
  ...passwordJobs,
  ...linkJobs,
  ...credentialJobs,
  ...displayJobs,
  ...orderJobs,
  ...refillJobs,
  ...deliveryJobs,
  ...pushJobs,
  ...batchJobs(walletDeliveries),
]
/** Jobs that wait for the mail server. They have workers of their own, so that a slow one delays no other job. */
export const mailJobs = [linkMailJobs, offerMailJobs]
/**
 * Messages to browsers: they wait for push services, which people choose. They have a worker of their own, so that none
 * delays another job.
 */
export const messageJobs = pushMessageJobs
/** What `chirograph keys rotate` seals anew: every sealed column but those of values that live for hours. */
export const sealedColumns: readonly ResealingColumn[] = [
  { table: 'signing_key', column: 'sealed_private' },
  { table: 'issuance', column: 'sealed_claims' },
  { table: 'issuance', column: 'sealed_label' },
  { table: 'issuance_attributes', column: 'sealed_attributes' },
  { table: 'issuance_batch', column: 'sealed_headings' },
  { table: 'issuance_batch_item', column: 'sealed_kept', id: 'issuance_id' },
  { table: 'wallet_credential_copy', column: 'sealed_raw' },
  { table: 'wallet_credential_copy', column: 'sealed_key' },
  { table: 'wallet_notification', column: 'sealed_access' },
  { table: 'wallet_deferred', column: 'sealed_work' },
  { table: 'wallet_refill', column: 'sealed_work' },
  { table: 'wallet_issuance_session', column: 'sealed_work' },
  { table: 'wallet_presentation', column: 'sealed_request' },
  { table: 'wallet_presentation', column: 'sealed_view' },
  { table: 'wallet_presentation', column: 'sealed_answer' },
  { table: 'wallet_removed_credential', column: 'sealed_view' },
  { table: 'wallet_shared_link', column: 'sealed_view' },
  { table: 'wallet_shared_link', column: 'sealed_presentation' },
  { table: 'wallet_delivery', column: 'sealed_recipient' },
  { table: 'wallet_delivery', column: 'sealed_parcel' },
  { table: 'wallet_push_subscription', column: 'sealed_target' },
  { table: 'presentation_request', column: 'result' },
  { table: 'presentation_request', column: 'transaction_data' },
  { table: 'webhook_secret', column: 'sealed' },
  { table: 'identity_provider', column: 'sealed_client_secret' },
  { table: 'page_session', column: 'sealed_tokens' },
  { table: 'page_session', column: 'sealed_draft' },
].map(resealing)

/** Every sweep. */
export const schedules: readonly Schedule[] = [
  ...tenantSchedules,
  ...removalSchedules,
  ...directorySchedules,
  resealSchedule(sealedColumns),
  ...trustSchedules,
  ...jobSchedules,
  ...eventSchedules,
  ...authorizationSchedules,
  ...signInSchedules,
  ...pageSchedules,
  ...linkSchedules,
  ...issuanceSchedules,
  ...issuanceRetention,
  ...replacementSchedules,
  ...keptAttributesSchedules,
  ...offerMailSchedules,
  ...batchSchedules,
  ...verificationSchedules,
  ...verificationPageSchedules,
  ...statisticsSchedules,
  ...credentialSchedules,
  ...orderSchedules,
  ...refillSchedules,
  ...displaySchedules,
  ...issuanceSessionSchedules,
  ...issuerAccessSchedules,
  ...deliverySchedules,
  ...historySchedules,
  ...presentationSchedules,
  ...sharedLinkSchedules,
]

/** What each folder does after an older state of the database was restored. */
export const restores: readonly Restore[] = [
  statusRestore,
  requestsRestore,
  grantsRestore,
  pushedRequestsRestore,
  signInRestore,
  revocationRestore,
]

/** What `chirograph verify` checks of each tenant. */
export const integrityChecks: readonly IntegrityCheck[] = [
  {
    name: 'sealed values',
    run: async (platform, tenantId) => {
      const found = await Promise.all(sealedColumns.map(({ check }) => check(platform, tenantId)))
      return {
        examined: found.reduce((count, { examined }) => count + examined, 0),
        faults: found.flatMap(({ faults }) => faults),
      }
    },
  },
  statusCheck,
  { name: 'webhook deliveries', run: checkDeliveries },
]
