import { setTimeout as sleep } from 'node:timers/promises'
import { openChanges } from './api/changes.ts'
import { keepAnswers } from './api/keep-answers.ts'
import { authenticate } from './authorization/access/authenticate.ts'
import type { Config } from './config.ts'
import { endpoints, jobs, mailJobs, messageJobs, routes, schedules } from './contributions.ts'
import { isClientOrigin } from './directory/clients/client-origins.ts'
import { settleEventOrder } from './events/order/event-order.ts'
import { type TransactionWatch, watchOldestTransaction } from './events/stream/oldest-transaction.ts'
import { checkEventWatch } from './events/stream/watch-events.ts'
import { type Dispatcher, startDispatcher } from './events/webhooks/dispatcher.ts'
import { webhookReference } from './events/webhooks/webhook-reference.ts'
import { openOutbound } from './http/outbound/outbound.ts'
import { buildServer, type Server } from './http/server/server.ts'
import type { ClockWatch, DatabaseClock } from './jobs/database-clock.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { type KeyDevice, type KeyProviders, keyProviders } from './keys/key-provider.ts'
import { softwareKeyRing } from './keys/key-ring.ts'
import { sealingWith } from './keys/sealing.ts'
import { Memory } from './memory/memory.ts'
import { RateLimiter } from './memory/rate-limiter.ts'
import { renderFault } from './pages/fault-page.ts'
import { type Clock, type Dispatch, type Log, type Platform, urlsOf } from './platform.ts'
import { journalOf } from './recovery/journal-place.ts'
import { markPlaceOf } from './recovery/mark-place.ts'
import { keepMark, type MarkKeeper } from './recovery/recovery-mark.ts'
import type { Store } from './store/store.ts'
import { isListedOrigin } from './verification/pages/public-endpoints.ts'
import { messageWorker } from './wallet/push/jobs.ts'

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
  /** The same clock, where it is that of the database; null, the default: it stands for both. */
  readonly clockWatch?: DatabaseClock | null
  /** Holds private keys, and generates new ones if KEY_PROVIDER names it. The application does not close it. */
  readonly keyDevice: KeyDevice | null
  /** For tests: what the pages reach the API through. */
  readonly betweenPagesAndApi?: ((dispatch: Dispatch) => Dispatch) | undefined
  /** When the deployment was last recovered from an older state; null, the default: never. */
  readonly restoredAt?: Date | null
}

/** Builds the platform, mounts every route and endpoint, and registers every job. */
export function buildApp(parts: Parts): App {
  const { config, store, masterKey, log, clock, keyDevice, clockWatch = null } = parts
  const now = () => clock.now()
  const memory = new Memory()
  const sealing = sealingWith(masterKey, store, now, memory, config.masterKeyPrevious, parts.restoredAt ?? null)
  const keys = softwareKeyRing(store, sealing, now, providersOf(config, keyDevice), memory)
  // Requests to our own public address are dispatched inside the process.
  const dispatch: Dispatch = (request) => server.dispatch(request)
  const outbound = openOutbound({ config, memory, inside: dispatch })
  const changes = openChanges(store, now)
  const platform: Platform = {
    config,
    store,
    sealing,
    keys,
    rateLimiter: new RateLimiter(),
    memory,
    changes,
    clock,
    log,
    journal: journalOf(config, clock),
    fetch: outbound.fetch,
    urls: urlsOf(config),
    dispatchStream: (request) => server.dispatchStream(request),
    dispatch: parts.betweenPagesAndApi?.(dispatch) ?? dispatch,
  }
  const server: Server = buildServer({
    platform,
    routes,
    endpoints,
    webhook: webhookReference,
    authenticate: authenticate(platform),
    readiness: readinessChecks(store, keyDevice, clockWatch, () => loops.mark),
    liveness: loopChecks(platform, () => loops),
    counters: countersOf(store, clockWatch, () => loops),
    idempotency: keepAnswers(platform),
    notFoundPage: renderFault,
    isClientOrigin: async (origin, request) =>
      (await isListedOrigin(platform, origin, request)) ?? isClientOrigin(platform, origin),
  })
  let loops: Loops = { workers: [], dispatcher: null, transactions: null, mark: null, clock: null }
  return {
    platform,
    listen: async () => {
      await settleEventOrder(platform)
      // What the server checks while it starts.
      loops = { ...loops, mark: startMark(platform), clock: clockWatch?.watch() ?? null }
      const address = await server.listen().catch(async (error: unknown) => {
        // Loops keep their process alive: a port in use would not end it.
        await stopLoops(loops)
        throw error
      })
      loops = { ...loops, ...startLoops(platform) }
      log.info({ address, publicUrl: config.publicUrl, database: store.kind }, 'ready')
    },
    close: async () => {
      // Load balancers see it by /readyz; the requests that they still send are served.
      server.drain()
      platform.changes.end()
      await sleep(config.drainSeconds * 1000)
      // Before the server: running jobs may dispatch requests.
      await stopLoops(loops)
      await server.close()
      await outbound.close()
    },
  }
}

async function stopLoops(loops: Loops): Promise<void> {
  const all = Object.values(loops).flat()
  await Promise.all(all.map((one) => one?.stop()))
}

function startLoops(platform: Platform): Omit<Loops, 'mark' | 'clock'> {
  return {
    workers: startWorkers(platform),
    dispatcher: startDispatcher(platform),
    transactions: platform.store.kind === 'postgresql' ? watchOldestTransaction(platform) : null,
  }
}

function startWorkers(platform: Platform): readonly Worker[] {
  const { smtpUrl, vapidPrivateKey } = platform.config
  const mails = smtpUrl === null ? [] : mailJobs.map((some) => startWorker(platform, some, [], { concurrency: 4 }))
  const messages = vapidPrivateKey === null ? [] : [startWorker(platform, messageJobs, [], messageWorker)]
  // Without a mail server or a key what is still queued fails at once.
  const others = [...(smtpUrl === null ? mailJobs.flat() : []), ...(vapidPrivateKey === null ? messageJobs : [])]
  return [startWorker(platform, [...jobs, ...others], schedules), ...mails, ...messages]
}

function startMark(platform: Platform): MarkKeeper | null {
  const place = markPlaceOf(platform.config)
  return place === null ? null : keepMark(platform, place)
}

function providersOf({ keyProvider }: Config, device: KeyDevice | null): KeyProviders {
  if (device === null) return keyProviders()
  return keyProvider === device.name ? keyProviders(device) : keyProviders(undefined, [device])
}

function countersOf(store: Store, clock: DatabaseClock | null, running: () => Loops) {
  return [
    clockDifference(() => clock?.differenceSeconds() ?? 0),
    oldestTransaction(() => running().transactions?.seconds() ?? 0),
    markAge(() => running().mark?.ageSeconds() ?? 0),
    {
      name: 'store_statements_total',
      help: 'SQL statements without transaction control.',
      value: () => store.counts.statements,
    },
    { name: 'store_transactions_total', help: 'Transactions started.', value: () => store.counts.transactions },
    { name: 'store_round_trips_total', help: 'Round trips to the database.', value: () => store.counts.roundTrips },
  ]
}

function readinessChecks(
  store: Store,
  keyDevice: KeyDevice | null,
  clock: DatabaseClock | null,
  mark: () => MarkKeeper | null,
) {
  return [
    { name: 'database', check: () => checkDatabase(store) },
    ...(keyDevice === null ? [] : [{ name: 'keys', check: keyDevice.check }]),
    { name: 'clock', check: async () => clock?.checkDifference() },
    { name: 'recovery', check: async () => mark()?.checkState() },
  ]
}

type Loops = {
  readonly workers: readonly Worker[]
  readonly dispatcher: Dispatcher | null
  readonly mark: MarkKeeper | null
  readonly clock: ClockWatch | null
  readonly transactions: TransactionWatch | null
}

/** Every loop of the process: one that waits for ever is not seen otherwise. */
function loopChecks(platform: Platform, running: () => Loops) {
  return [
    { name: 'recovery mark', check: async () => running().mark?.check() },
    { name: 'oldest transaction', check: async () => running().transactions?.check() },
    { name: 'clock', check: async () => running().clock?.check() },
    { name: 'changes', check: () => platform.changes.check() },
    { name: 'event stream', check: () => checkEventWatch(platform) },
    { name: 'worker', check: async () => void (await Promise.all(running().workers.map((one) => one.check()))) },
    { name: 'dispatcher', check: async () => running().dispatcher?.check() },
  ]
}

function oldestTransaction(value: () => number) {
  const help = [
    'Age of the oldest open transaction of the database server that writes, which delays all events.',
    'Of a session of another account it is the time since this process first saw it, unless the account of this server has pg_read_all_stats.',
  ].join(' ')
  return { name: 'store_oldest_transaction_seconds', help, value, isGauge: true }
}

function clockDifference(value: () => number) {
  const help = 'Seconds by which the clock of this server is ahead of that of the database. Beyond 30 it runs no jobs.'
  return { name: 'clock_difference_seconds', help, value, isGauge: true }
}

function markAge(value: () => number) {
  const help = 'Seconds since this process last wrote the recovery mark; 0 without RECOVERY_MARK.'
  return { name: 'recovery_mark_age_seconds', help, value, isGauge: true }
}

async function checkDatabase(store: Store): Promise<void> {
  if (!(await store.isReady())) throw new Error('migrations are missing')
}
