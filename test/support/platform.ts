import { Readable } from 'node:stream'
import { openChanges } from '../../src/api/changes.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { randomBytes } from '../../src/crypto/random.ts'
import { Fault } from '../../src/fault.ts'
import { softwareKeyRing } from '../../src/keys/key-ring.ts'
import { sealingWith } from '../../src/keys/sealing.ts'
import { Memory } from '../../src/memory/memory.ts'
import { RateLimiter } from '../../src/memory/rate-limiter.ts'
import { type Clock, type Dispatch, type Log, type OutboundFetch, type Platform, urlsOf } from '../../src/platform.ts'
import { noJournal } from '../../src/recovery/journal-place.ts'
import type { Store } from '../../src/store/store.ts'

/** What a test decides about its platform. Only the store is required. */
export type PlatformParts = {
  readonly store: Store
  /** The system clock by default. */
  readonly clock?: Clock
  /** The defaults of every setting by default. */
  readonly config?: Config
  /** By default no foreign address is reachable. */
  readonly fetch?: OutboundFetch
  /** By default no route is reachable. */
  readonly dispatch?: Dispatch
  /** Random by default. Platforms of the same deployment have the same. */
  readonly masterKey?: Buffer
  /** By default only errors are printed. */
  readonly log?: Log
}

const silent = () => undefined
const errorsOnly: Log = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (fields, message) => console.error(message, fields),
}

/**
 * The one builder of platforms for tests below the roof: real parts, except for what the test replaces at the edge of
 * the process.
 */
export function platformOn({
  store,
  clock = { now: () => new Date() },
  config = readConfig({}),
  fetch = () => Promise.reject(new Fault('upstream.unreachable')),
  dispatch = () => Promise.reject(new Fault('upstream.unreachable')),
  masterKey = randomBytes(32),
  log = errorsOnly,
}: PlatformParts): Platform {
  const now = () => clock.now()
  const sealing = sealingWith(masterKey, store, now)
  return {
    config,
    store,
    sealing,
    clock,
    fetch,
    dispatch,
    log,
    dispatchStream: async (request) => {
      const { body, ...head } = await dispatch(request)
      return { ...head, body: Readable.from([body]) }
    },
    keys: softwareKeyRing(store, sealing, now),
    urls: urlsOf(config),
    rateLimiter: new RateLimiter(),
    memory: new Memory(),
    changes: openChanges(store, now),
    journal: noJournal,
  }
}

const noDatabase = () => Promise.reject(new Error('this test has no database'))

/** The store of a test that must not reach a database. */
export const withoutDatabase: Store = {
  inTenant: noDatabase,
  single: noDatabase,
  across: noDatabase,
  singleAcross: noDatabase,
  migrate: noDatabase,
  schema: noDatabase,
  distribute: noDatabase,
  distribution: noDatabase,
  isReady: noDatabase,
  oldestTransaction: noDatabase,
  counts: { statements: 0, transactions: 0, roundTrips: 0 },
  kind: 'embedded',
  close: async () => undefined,
}
