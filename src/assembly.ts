import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, buildApp } from './app.ts'
import { applyIdentityProviders } from './authorization/access/apply-identity-providers.ts'
import { type Config, readConfig } from './config.ts'
import { randomBytes } from './crypto/random.ts'
import { applyBootstrap } from './directory/bootstrap/apply-bootstrap.ts'
import { applyChanged } from './directory/bootstrap/apply-changed.ts'
import { type Bootstrap, readBootstrap } from './directory/bootstrap/bootstrap-file.ts'
import { openLog } from './http/telemetry/log.ts'
import { openTelemetry } from './http/telemetry/open-telemetry.ts'
import { openDatabaseClock } from './jobs/database-clock.ts'
import type { KeyDevice } from './keys/key-provider.ts'
import { openKeyDevice } from './keys/open-key-device.ts'
import type { Clock, Dispatch, Log } from './platform.ts'
import { markPlaceOf } from './recovery/mark-place.ts'
import { refuseOlderState, restoredAtOf } from './recovery/recovery-mark.ts'
import { describeDatabaseError } from './store/database-problem.ts'
import { openStore } from './store/opening/open-store.ts'
import { idsFollow } from './store/row-id.ts'
import { platformTenantId, type Store } from './store/store.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Replacements for tests. */
export type Replacements = {
  /** The time of everything, instead of the clock of the database. */
  readonly clock?: Clock
  /** The clock of this machine. */
  readonly ownClock?: Clock
  readonly log?: Log
  /** Stands between the pages and the API: what it holds back is late. */
  readonly betweenPagesAndApi?: (dispatch: Dispatch) => Dispatch
}

const systemClock: Clock = { now: () => new Date() }

/**
 * What a command does with the database before its work. `refusesOlderState`: whether it refuses a restored older
 * state, before anything is written. `schema`: `migrates` applies pending migrations; `asItIs` refuses a database that
 * lacks some, since a new version that migrates may take running servers of the version before out; `any` works on
 * every schema.
 */
export type DatabaseUse = {
  readonly refusesOlderState: boolean
  readonly schema: 'migrates' | 'asItIs' | 'any'
  /** Whether the bootstrap file is applied also if it is the one that was applied last. */
  readonly appliesAlways?: boolean
  /** Whether it is a server, whose spans and metrics are sent. */
  readonly isServer?: boolean
}

/** Of a server, and of commands that change what servers serve. */
export const SERVES: DatabaseUse = { refusesOlderState: true, schema: 'migrates' }

/** A platform that serves nothing yet. */
export type Assembled = {
  readonly config: Config
  readonly app: App
  /** Closes the database, the token and the telemetry. */
  readonly release: () => Promise<void>
}

/**
 * Opens and prepares the database, builds the platform and applies the bootstrap file, for a server or one command.
 *
 * @throws ConfigMistakes when the settings cannot be used; Error when the database or the token of the keys cannot be
 *   opened, or the database is refused.
 */
export async function assemble(env: Env, options: Replacements, use = SERVES): Promise<Assembled> {
  const config = readConfig(env)
  const log = options.log ?? openLog(config.logLevel)
  log.info({ database: config.databaseUrl === null ? 'embedded' : 'postgresql' }, 'starting: opening the database')
  // Read before the database is opened, so that an invalid file changes nothing.
  const bootstrap = config.bootstrapFile === null ? null : bootstrapIn(config.bootstrapFile, env)
  const { store, keyDevice, release } = await openResources(config, log, use)
  log.info({}, 'starting: the database is open')
  try {
    await refusePartlyDistributed(store, log)
    const masterKey = config.masterKey ?? developmentKey(config.dataDir)
    const { clock, clockWatch } = await clocksOf(store, options, use, log)
    const restoredAt = use.schema === 'any' ? null : await restoredAtOf(store)
    const { betweenPagesAndApi } = options
    const parts = {
      config,
      store,
      masterKey,
      log,
      clock,
      clockWatch,
      keyDevice,
      restoredAt,
      betweenPagesAndApi,
    }
    const app = buildApp(parts)
    // Fails here if MASTER_KEY is wrong, instead of at the first request that needs a key.
    // Its first use would insert it.
    if (use.schema === 'migrates' || (await app.platform.sealing.versions(platformTenantId)) !== null)
      await app.platform.sealing.derive(platformTenantId, 'start')
    if (bootstrap !== null) {
      const applyAll = async () => {
        log.info({ file: config.bootstrapFile }, 'starting: applying the bootstrap file')
        await applyBootstrap(app.platform, bootstrap)
        await applyIdentityProviders(app.platform, bootstrap)
      }
      await applyChanged(app.platform, bootstrap, applyAll, use.appliesAlways)
    }
    return { config, app, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** The time of everything is that of the database. A command that works on every schema has the time of its machine. */
async function clocksOf(store: Store, { clock, ownClock = systemClock }: Replacements, use: DatabaseUse, log: Log) {
  if (clock !== undefined) return { clock, clockWatch: null }
  if (use.schema === 'any') return { clock: ownClock, clockWatch: null }
  const ofDatabase = await openDatabaseClock(store, ownClock, log)
  idsFollow(ofDatabase.now)
  return { clock: ofDatabase, clockWatch: ofDatabase }
}

/**
 * @throws Error if some tables of tenants are distributed and others are not: statements over both fail, or miss
 *   foreign keys.
 */
async function refusePartlyDistributed(store: Store, log: Log): Promise<void> {
  const { kind, missing } = await store.distribution()
  if (kind === 'distributable')
    log.warn({}, 'the database is a Citus coordinator, but no table is distributed: all rows stay on this node')
  if (kind !== 'partly') return
  const what = missing.length === 0 ? 'foreign keys are missing' : `not distributed: ${missing.join(', ')}`
  throw new Error(`the database is distributed in part (${what}): run \`chirograph distribute\``)
}

type Resources = Pick<Assembled, 'release'> & { readonly store: Store; readonly keyDevice: KeyDevice | null }

/** Starts the telemetry of a server, and opens the token of the private keys and the database. */
async function openResources(config: Config, log: Log, use: DatabaseUse): Promise<Resources> {
  const opened: (() => Promise<void>)[] = []
  const release = async () => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  try {
    const telemetry = use.isServer === true ? await openTelemetry(config, log) : null
    if (telemetry !== null) opened.push(telemetry.close)
    const keyDevice = await openKeyDevice(config.keyDevice)
    if (keyDevice !== null) opened.push(keyDevice.close)
    const { store } = await openDatabase(config, log, use)
    opened.push(store.close)
    return { store, keyDevice, release }
  } catch (error) {
    await release()
    throw error
  }
}

function bootstrapIn(file: string, env: Env): Bootstrap {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw new Error(`the bootstrap file ${file} cannot be read${why}`, { cause })
  }
  return readBootstrap(text, env)
}

/**
 * Opens and prepares the database.
 *
 * @returns how many migrations were applied.
 * @throws Error that names the setting, or says what to do
 */
export async function openDatabase(
  config: Config,
  log: Log,
  { refusesOlderState, schema }: DatabaseUse,
): Promise<{ store: Store; applied: number }> {
  const { databaseUrl, dataDir } = config
  const mark = refusesOlderState ? markPlaceOf(config) : null
  let store: Store | null = null
  try {
    store = await openStore({
      databaseUrl,
      dataDir,
      poolMax: config.databasePoolMax,
      answerMsMax: config.databaseTimeoutSeconds * 1000,
      isPrepared: config.databasePrepared,
      onIdleError: (error) => log.warn({ error: error.message }, 'a database connection was lost'),
    })
    if (mark !== null) await refuseOlderState({ store }, mark)
    if (schema === 'migrates') return { store, applied: await store.migrate() }
    if ((await store.schema()) !== 'current' && schema === 'asItIs')
      throw new Error(
        'the database lacks migrations of this version: run `chirograph migrate`, or the version that serves',
      )
    return { store, applied: 0 }
  } catch (error) {
    await store?.close()
    throw describeDatabaseError(error)
  }
}

/**
 * The master key of a development machine: generated once, readable by its owner only. Production requires MASTER_KEY.
 */
function developmentKey(dataDir: string): Buffer {
  const path = join(dataDir, 'master.key')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(path, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return Buffer.from(readFileSync(path, 'utf8'), 'base64')
}
