import { setTimeout as sleep } from 'node:timers/promises'
import { openChanges } from './api/changes.ts'
import { keepAnswers } from './api/keep-answers.ts'
import { authenticate } from './authorization/access/authenticate.ts'
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
import type { Config } from './config.ts'
import { pageSchedules } from './console/jobs.ts'
import { consoleEndpoints } from './console/public-endpoints.ts'
import { clientNames } from './directory/clients/client-names.ts'
import { isClientOrigin } from './directory/clients/client-origins.ts'
import { clientRoutes } from './directory/clients/routes.ts'
import { groupNames } from './directory/groups/group-names.ts'
import { groupRoutes } from './directory/groups/routes.ts'
import { scimEndpoints } from './directory/scim/public-endpoints.ts'
import { provisioningRoutes } from './directory/scim/routes.ts'
import { tenantSchedules } from './directory/tenants/jobs.ts'
import { resealSchedule } from './directory/tenants/rotate-keys.ts'
import { organisationRoutes } from './directory/tenants/routes.ts'
import { directoryJobs } from './directory/users/destroy-user.ts'
import { directoryRoutes } from './directory/users/routes.ts'
import { userNames } from './directory/users/user-names.ts'
import { settleEventOrder } from './events/order/event-order.ts'
import { type TransactionWatch, watchOldestTransaction } from './events/stream/oldest-transaction.ts'
import { eventRoutes } from './events/stream/routes.ts'
import { deliveryFaults } from './events/webhooks/delivery-faults.ts'
import { type Dispatcher, startDispatcher } from './events/webhooks/dispatcher.ts'
import { eventSchedules } from './events/webhooks/jobs.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'
import { webhookReference } from './events/webhooks/webhook-reference.ts'
import { holderEndpoints } from './holder/public-endpoints.ts'
import { openOutbound } from './http/outbound/outbound.ts'
import type { Endpoint } from './http/routes/endpoint.ts'
import type { Route } from './http/routes/route.ts'
import { buildServer, type Server, type Telemetry } from './http/server/server.ts'
import { batchJobs, batchSchedules } from './issuance/batches/jobs.ts'
import { batchRoutes } from './issuance/batches/routes.ts'
import { deferralRoutes } from './issuance/deferral/routes.ts'
import { issuanceSchedules } from './issuance/issuances/jobs.ts'
import { issuanceNames } from './issuance/issuances/origins.ts'
import { issuanceRoutes } from './issuance/issuances/routes.ts'
import { offerMailJobs, offerMailSchedules } from './issuance/mails/jobs.ts'
import { issuanceEndpoints } from './issuance/openid4vci/public-endpoints.ts'
import { issuanceRetention } from './issuance/retention/jobs.ts'
import { statusRestore } from './issuance/status/restore-status.ts'
import { statusRoutes } from './issuance/status/routes.ts'
import { statusCheck } from './issuance/status/status-faults.ts'
import { templateRoutes } from './issuance/templates/routes.ts'
import { typeRoutes } from './issuance/types/routes.ts'
import { jobSchedules } from './jobs/jobs.ts'
import type { Schedule } from './jobs/schedule.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { type KeyDevice, type KeyProviders, keyProviders } from './keys/key-provider.ts'
import { softwareKeyRing } from './keys/key-ring.ts'
import { type ResealingColumn, resealing } from './keys/reseal.ts'
import { sealingWith } from './keys/sealing.ts'
import { Memory } from './memory/memory.ts'
import { RateLimiter } from './memory/rate-limiter.ts'
import { assetEndpoints } from './pages/public-endpoints.ts'
import { sessionEndpoints } from './pages/session/public-endpoints.ts'
import { type Clock, type Dispatch, type Log, type Platform, urlsOf } from './platform.ts'
import type { IntegrityCheck } from './recovery/integrity.ts'
import { journalOf } from './recovery/journal-place.ts'
import { markPlaceOf } from './recovery/mark-place.ts'
import { keepMark, type MarkKeeper } from './recovery/recovery-mark.ts'
import type { Restore } from './recovery/restore.ts'
import { statisticsSchedules } from './statistics/jobs.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import type { Store } from './store/store.ts'
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
import { isListedOrigin, verificationPageEndpoints } from './verification/pages/public-endpoints.ts'
import { verificationPageRoutes } from './verification/pages/routes.ts'
import { verificationSchedules } from './verification/requests/jobs.ts'
import { requestNames } from './verification/requests/origins.ts'
import { requestsRestore } from './verification/requests/request-expiry.ts'
import { verificationRoutes } from './verification/requests/routes.ts'
import { verificationEndpoints } from './verification/responses/public-endpoints.ts'
import { visitorEndpoints } from './visitor/public-endpoints.ts'
import { credentialJobs, credentialSchedules } from './wallet/credentials/jobs.ts'
import { credentialRoutes } from './wallet/credentials/routes.ts'
import { walletDeliveries } from './wallet/deliveries/deliver-issued.ts'
import { deliveryJobs, deliverySchedules } from './wallet/deliveries/jobs.ts'
import { deliveryRoutes } from './wallet/deliveries/routes.ts'
import { displayJobs } from './wallet/display/jobs.ts'
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
import { pushJobs } from './wallet/push/jobs.ts'
import { pushRoutes } from './wallet/push-subscriptions/routes.ts'
import { refillJobs, refillSchedules } from './wallet/refills/jobs.ts'

/** How objects are named in lists of events and audit entries. */
const names = [userNames, clientNames, groupNames, entityNames, issuanceNames, requestNames, pageNames]

/** Our API: every operation of the three groups. */
export const routes: readonly Route[] = [
  ...credentialRoutes,
  ...offerRoutes,
  ...issuanceSessionRoutes,
  ...presentationRoutes,
  ...deliveryRoutes,
  ...historyRoutes,
  ...ownDataRoutes,
  ...pushRoutes,
  ...templateRoutes,
  ...statusRoutes,
  ...batchRoutes,
  ...issuanceRoutes(walletDeliveries),
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
  ...walletProviderEndpoints,
  ...issuanceEndpoints,
  ...verificationEndpoints,
  ...digitalCredentialEndpoints,
  ...verificationPageEndpoints,
  ...didEndpoints,
  ...revocationEndpoints,
  ...certificateEndpoints,
]

const jobs = [
  ...directoryJobs,
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
const mailJobs = [linkMailJobs, offerMailJobs]
const mailWorker = { concurrency: 4, ofTenantMax: 2 }
/** What `chirograph keys rotate` seals anew: every sealed column but those of values that live for hours. */
export const sealedColumns: readonly ResealingColumn[] = [
  { table: 'signing_key', column: 'sealed_private' },
  { table: 'issuance', column: 'sealed_claims' },
  { table: 'issuance', column: 'sealed_label' },
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
  ...offerMailSchedules,
  ...batchSchedules,
  ...verificationSchedules,
  ...verificationPageSchedules,
  ...statisticsSchedules,
  ...credentialSchedules,
  ...orderSchedules,
  ...refillSchedules,
  ...issuanceSessionSchedules,
  ...issuerAccessSchedules,
  ...deliverySchedules,
  ...historySchedules,
  ...presentationSchedules,
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
    run: async (platform, tenantId) =>
      (await Promise.all(sealedColumns.map(({ faults }) => faults(platform, tenantId)))).flat(),
  },
  statusCheck,
  { name: 'webhook deliveries', run: deliveryFaults },
]

/** The application on one store; it does nothing before `listen`. */
export type App = {
  readonly platform: Platform
  /** Accepts requests, and starts the worker and the webhook dispatcher. */
  readonly listen: () => Promise<void>
  /** Drains, then finishes accepted requests and running jobs. The store stays open. */
  readonly close: () => Promise<void>
}

type Parts = {
  readonly config: Config
  readonly store: Store
  /** 32 bytes. */
  readonly masterKey: Buffer
  readonly log: Log
  readonly clock: Clock
  /** Holds private keys, and generates new ones if KEY_PROVIDER names it. The application does not close it. */
  readonly keyDevice: KeyDevice | null
  /** null: no OpenTelemetry. */
  readonly telemetry?: Telemetry | null
}

/** Builds the platform, mounts every route and endpoint, and registers every job. */
export function buildApp({ config, store, masterKey, log, clock, keyDevice, telemetry = null }: Parts): App {
  const now = () => clock.now()
  const memory = new Memory()
  const sealing = sealingWith(masterKey, store, now, memory, config.masterKeyPrevious)
  const keys = softwareKeyRing(store, sealing, now, providersOf(config, keyDevice), memory)
  // Requests to our own public address are dispatched inside the process.
  const dispatch: Dispatch = (request) => server.dispatch(request)
  const outbound = openOutbound({ config, inside: dispatch, tracing: telemetry?.tracing ?? null })
  const changes = openChanges(store, now)
  const platform: Platform = {
    config,
    store,
    sealing,
    keys,
    rateLimiter: new RateLimiter(),
    ...{ memory, changes, clock, log, dispatch, journal: journalOf(config, clock) },
    fetch: outbound.fetch,
    urls: urlsOf(config),
  }
  const server: Server = buildServer({
    platform,
    routes,
    endpoints,
    webhook: webhookReference,
    authenticate: authenticate(platform),
    readiness: readinessChecks(store, keyDevice, () => mark),
    liveness: loopChecks(() => ({ workers, dispatcher })),
    counters: [...countersOf(store), oldestTransaction(() => transactions?.seconds() ?? 0)],
    ...{ telemetry, idempotency: keepAnswers(platform) },
    isClientOrigin: async (origin, request) =>
      (await isListedOrigin(platform, origin, request)) ?? isClientOrigin(platform, origin),
  })
  let workers: readonly Worker[] = []
  let dispatcher: Dispatcher | null = null
  let transactions: TransactionWatch | null = null
  let mark: MarkKeeper | null = null
  return {
    platform,
    listen: async () => {
      await settleEventOrder(platform)
      mark = startMark(platform)
      const address = await server.listen()
      workers = startWorkers(platform)
      dispatcher = startDispatcher(platform)
      if (store.kind === 'postgresql') transactions = watchOldestTransaction(platform)
      log.info({ address, publicUrl: config.publicUrl, database: store.kind }, 'ready')
    },
    close: async () => {
      // Load balancers see it by /readyz; the requests that they still send are served.
      server.drain()
      platform.changes.end()
      await sleep(config.drainSeconds * 1000)
      // Before the server: running jobs may dispatch requests.
      await Promise.all([...workers, dispatcher, transactions, mark].map((one) => one?.stop()))
      await server.close()
      await outbound.close()
      await telemetry?.exporter.close()
    },
  }
}

function startWorkers(platform: Platform): readonly Worker[] {
  // Without a mail server what is still queued fails at once.
  if (platform.config.smtpUrl === null) return [startWorker(platform, [...jobs, ...mailJobs.flat()], schedules)]
  const ofMails = mailJobs.map((some) => startWorker(platform, some, [], mailWorker))
  return [startWorker(platform, jobs, schedules), ...ofMails]
}

function startMark(platform: Platform): MarkKeeper | null {
  const place = markPlaceOf(platform.config)
  return place === null ? null : keepMark(platform, place)
}

function providersOf({ keyProvider }: Config, device: KeyDevice | null): KeyProviders {
  if (device === null) return keyProviders()
  return keyProvider === device.name ? keyProviders(device) : keyProviders(undefined, [device])
}

function countersOf(store: Store) {
  return [
    {
      name: 'store_statements_total',
      help: 'SQL statements without transaction control.',
      value: () => store.counts.statements,
    },
    { name: 'store_transactions_total', help: 'Transactions started.', value: () => store.counts.transactions },
    { name: 'store_round_trips_total', help: 'Round trips to the database.', value: () => store.counts.roundTrips },
  ]
}

function readinessChecks(store: Store, keyDevice: KeyDevice | null, mark: () => MarkKeeper | null) {
  return [
    { name: 'database', check: () => checkDatabase(store) },
    ...(keyDevice === null ? [] : [{ name: 'keys', check: keyDevice.check }]),
    { name: 'recovery', check: async () => mark()?.check() },
  ]
}

function loopChecks(running: () => { workers: readonly Worker[]; dispatcher: Dispatcher | null }) {
  return [
    { name: 'worker', check: async () => void (await Promise.all(running().workers.map((one) => one.check()))) },
    { name: 'dispatcher', check: async () => running().dispatcher?.check() },
  ]
}

function oldestTransaction(value: () => number) {
  const help = 'Age of the oldest open transaction of the database server that writes, which delays all events.'
  return { name: 'store_oldest_transaction_seconds', help, value, isGauge: true }
}

async function checkDatabase(store: Store): Promise<void> {
  if (!(await store.isReady())) throw new Error('migrations are missing')
}
