import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, buildApp } from './app.ts'
import { applyIdentityProviders } from './authorization/access/apply-identity-providers.ts'
import {
  createOwnerLink,
  newcomerLink,
  type OwnerOutcome,
  ownTenant,
} from './authorization/sign-in/links/create-owner-link.ts'
import { type Config, readConfig } from './config.ts'
import { randomBytes } from './crypto/random.ts'
import { applyBootstrap } from './directory/bootstrap/apply-bootstrap.ts'
import { type Bootstrap, readBootstrap } from './directory/bootstrap/bootstrap-file.ts'
import { listTenantSlugs } from './directory/tenants/find-tenant.ts'
import { describeListenError } from './http/server/listen-problem.ts'
import type { Telemetry } from './http/server/server.ts'
import { openLog } from './http/telemetry/log.ts'
import type { KeyDevice } from './keys/key-provider.ts'
import { openKeyDevice } from './keys/pkcs11/open-key-device.ts'
import type { Clock, Log, Platform } from './platform.ts'
import { markPlaceOf } from './recovery/mark-place.ts'
import { refuseOlderState } from './recovery/recovery-mark.ts'
import { describeDatabaseError } from './store/database-problem.ts'
import { openStore } from './store/opening/open-store.ts'
import { type DistributionReport, platformTenantId, type Store } from './store/store.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A server that is listening. */
export type Running = {
  readonly url: string
  /** Finishes accepted requests, then closes everything. A second call waits for the same stop. */
  readonly stop: () => Promise<void>
}

/** Replacements for tests. */
export type MainOptions = { readonly clock?: Clock; readonly log?: Log }

const systemClock: Clock = { now: () => new Date() }

/**
 * Starts a server: reads the settings, opens and migrates the database, applies the bootstrap file, listens.
 *
 * @throws ConfigMistakes when the settings cannot be used; Error when the database or the token of the keys cannot be opened or the
 *   port is taken.
 */
export async function start(env: Env, options: MainOptions = {}): Promise<Running> {
  const { config, app, release } = await assemble(env, options)
  try {
    const mark = markPlaceOf(config)
    if (mark !== null) await refuseOlderState(app.platform, mark)
    await adviseNewcomer(app.platform)
    await app.listen()
  } catch (error) {
    await release()
    throw describeListenError(error, config)
  }
  let stopping: Promise<void> | null = null
  const stop = async () => {
    await app.close()
    await release()
  }
  return {
    url: config.publicUrl,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Applies a bootstrap file to the configured database. */
export async function apply(env: Env, file: string): Promise<void> {
  const { release } = await assemble({ ...env, BOOTSTRAP_FILE: file }, {})
  await release()
}

/**
 * Makes a one-time link by which a person becomes an owner of a tenant.
 *
 * @param tenant null: the only tenant; `default`, which is created, if there is none.
 * @throws Error that says what to do, if the tenant is unknown or not named, or the user is disabled
 */
export async function createOwner(env: Env, tenant: string | null, username: string | null) {
  // The file is for the server: its secrets need not be known here.
  const { app, release } = await assemble({ ...env, BOOTSTRAP_FILE: '' }, {})
  try {
    const slug = tenant ?? (await ownTenant(app.platform))
    if (slug === null) throw new Error('there are several tenants: name one with --tenant')
    const outcome: OwnerOutcome = await createOwnerLink(app.platform, slug, username ?? undefined)
    if (outcome.kind === 'unknown') throw new Error(`there is no tenant ${slug}, or it is disabled`)
    if (outcome.kind === 'disabled') throw new Error('the user is disabled or deleted: name another with --username')
    return outcome
  } finally {
    await release()
  }
}

/** Applies pending migrations, by the account of DATABASE_URL, and nothing else. Needs only the settings of the database. @returns how many */
export async function migrateDatabase(env: Env): Promise<number> {
  const config = databaseConfig(env)
  const { store, applied } = await openDatabase(config, openLog(config.logLevel))
  await store.close()
  return applied
}

/** Distributes the tables of the configured database over the nodes of its Citus cluster, after the migrations. No server may run meanwhile. */
export async function distributeDatabase(env: Env): Promise<DistributionReport> {
  const config = databaseConfig(env)
  const { store } = await openDatabase(config, openLog(config.logLevel))
  try {
    return await store.distribute()
  } finally {
    await store.close()
  }
}

/** The settings of the database alone. */
function databaseConfig(env: Env): Config {
  const names = Object.keys(env).filter((name) => /^(DATABASE_.*|DATA_DIR|LOG_LEVEL)$/.test(name))
  const config = readConfig(Object.fromEntries(names.map((name) => [name, env[name]])))
  if (env.NODE_ENV === 'production' && config.databaseUrl === null)
    throw new Error('DATABASE_URL is required in production')
  return config
}

/** A platform that serves nothing yet. */
export type Assembled = {
  readonly config: Config
  readonly app: App
  /** Closes the database and the token. */
  readonly release: () => Promise<void>
}

/** Opens the database and builds the platform, for a server or one command. @throws as {@link start} */
export async function assemble(env: Env, options: MainOptions): Promise<Assembled> {
  const config = readConfig(env)
  const log = options.log ?? openLog(config.logLevel)
  log.info({ database: config.databaseUrl === null ? 'embedded' : 'postgresql' }, 'starting: opening the database')
  // Read before the database is opened, so that an invalid file changes nothing.
  const bootstrap = config.bootstrapFile === null ? null : bootstrapIn(config.bootstrapFile, env)
  const { store, keyDevice, release } = await openResources(config, log)
  log.info({}, 'starting: the database is up to date')
  try {
    await refusePartlyDistributed(store, log)
    const masterKey = config.masterKey ?? developmentKey(config.dataDir)
    const telemetry = await openTelemetry(config, log)
    const clock = options.clock ?? systemClock
    const app = buildApp({ config, store, masterKey, log, clock, keyDevice, telemetry })
    // Fails here if MASTER_KEY is wrong, instead of at the first request that needs a key.
    await app.platform.sealing.derive(platformTenantId, 'start')
    if (bootstrap !== null) {
      log.info({ file: config.bootstrapFile }, 'starting: applying the bootstrap file')
      await applyBootstrap(app.platform, bootstrap)
      await applyIdentityProviders(app.platform, bootstrap)
    }
    return { config, app, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** @throws Error if some tables of tenants are distributed and others are not: statements over both fail, or miss foreign keys. */
async function refusePartlyDistributed(store: Store, log: Log): Promise<void> {
  const { kind, missing } = await store.distribution()
  if (kind === 'distributable')
    log.warn({}, 'the database is a Citus coordinator, but no table is distributed: all rows stay on this node')
  if (kind !== 'partly') return
  const what = missing.length === 0 ? 'foreign keys are missing' : `not distributed: ${missing.join(', ')}`
  throw new Error(`the database is distributed in part (${what}): run \`chirograph distribute\``)
}

/** Loads OpenTelemetry only where it is used. */
async function openTelemetry({ otelEndpoint }: Config, log: Log): Promise<Telemetry | null> {
  if (otelEndpoint === null) return null
  const { openOtlpExporter } = await import('./http/telemetry/otlp-exporter.ts')
  const { openTracing } = await import('./http/telemetry/tracing.ts')
  const exporter = openOtlpExporter(otelEndpoint, log)
  return { exporter, tracing: openTracing(exporter.take) }
}

type Resources = Pick<Assembled, 'release'> & { readonly store: Store; readonly keyDevice: KeyDevice | null }

/** Opens the token of the private keys, and the database. */
async function openResources(config: Config, log: Log): Promise<Resources> {
  const keyDevice = await openKeyDevice(config.keyDevice)
  try {
    const { store } = await openDatabase(config, log)
    const release = async () => {
      await store.close()
      await keyDevice?.close()
    }
    return { store, keyDevice, release }
  } catch (error) {
    await keyDevice?.close()
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

/** Opens and migrates the database. @throws Error that names the setting */
async function openDatabase(config: Config, log: Log): Promise<{ store: Store; applied: number }> {
  const { databaseUrl, dataDir } = config
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
    return { store, applied: await store.migrate() }
  } catch (error) {
    await store?.close()
    throw describeDatabaseError(error)
  }
}

/**
 * Logs what to do next. In development without a bootstrap file: a link by which a newcomer becomes the owner of the tenant `default`, until
 * there is one. The link is a secret, which only this line shows; it expires after an hour and is replaced at the next start.
 */
async function adviseNewcomer(platform: Platform): Promise<void> {
  const { config, log } = platform
  if (config.isDevelopment && config.bootstrapFile === null) {
    const outcome = await newcomerLink(platform)
    if (outcome?.kind !== 'link') return
    const { url: link, expiresAt, username, tenantSlug: tenant } = outcome
    log.info({ link, expiresAt, username, tenant }, 'there is no owner yet: open the link to become one')
  } else if ((await listTenantSlugs(platform, 1)).length === 0) {
    const next = 'name a BOOTSTRAP_FILE and start again, or run `chirograph apply FILE` or `chirograph owner create`'
    log.info({ next }, 'there is no tenant yet, so no client can get a token')
  }
}

/** The master key of a development machine: generated once, readable by its owner only. Production requires MASTER_KEY. */
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
