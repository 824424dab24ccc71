import { assemble, openDatabase, type Replacements, SERVES } from './assembly.ts'
import {
  createOwnerLink,
  newcomerLink,
  type OwnerOutcome,
  ownTenant,
} from './authorization/sign-in/links/create-owner-link.ts'
import { type Config, readConfig } from './config.ts'
import { listTenantSlugs } from './directory/tenants/find-tenant.ts'
import { describeListenError } from './http/server/listen-problem.ts'
import { openLog } from './http/telemetry/log.ts'
import { keepNewcomerLink } from './pages/session/newcomer-link.ts'
import type { Platform } from './platform.ts'
import type { DistributionReport } from './store/store.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A server that is listening. */
export type Running = {
  readonly url: string
  /** Finishes accepted requests, then closes everything. A second call waits for the same stop. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a server: reads the settings, opens the database, refuses a restored older state, migrates, applies the
 * bootstrap file, listens.
 *
 * @throws ConfigMistakes when the settings cannot be used; Error when the database or the token of the keys cannot be
 *   opened or the port is taken.
 */
export async function start(env: Env, options: Replacements = {}): Promise<Running> {
  const { config, app, release } = await assemble(env, options, { ...SERVES, isServer: true })
  try {
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
  const { release } = await assemble({ ...env, BOOTSTRAP_FILE: file }, {}, { ...SERVES, appliesAlways: true })
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

/**
 * Applies pending migrations, by the account of DATABASE_URL, and nothing else. Needs only the settings of the
 * database; with RECOVERY_MARK a restored older state is refused.
 *
 * @returns how many
 */
export async function migrateDatabase(env: Env): Promise<number> {
  const config = databaseConfig(env)
  const { store, applied } = await openDatabase(config, openLog(config.logLevel), SERVES)
  await store.close()
  return applied
}

/**
 * Distributes the tables of the configured database over the nodes of its Citus cluster, after the migrations. No
 * server may run meanwhile.
 */
export async function distributeDatabase(env: Env): Promise<DistributionReport> {
  const config = databaseConfig(env)
  const { store } = await openDatabase(config, openLog(config.logLevel), SERVES)
  try {
    return await store.distribute()
  } finally {
    await store.close()
  }
}

/** The settings of the database and of the recovery mark alone. */
function databaseConfig(env: Env): Config {
  const names = Object.keys(env).filter((name) => /^(DATABASE_.*|DATA_DIR|LOG_LEVEL|RECOVERY_MARK|AWS_.*)$/.test(name))
  const config = readConfig(Object.fromEntries(names.map((name) => [name, env[name]])))
  if (env.NODE_ENV === 'production' && config.databaseUrl === null)
    throw new Error('DATABASE_URL is required in production')
  return config
}

/**
 * Logs what to do next. In development without a bootstrap file: a link by which a newcomer becomes the owner of the
 * tenant `default`, until there is one. The link is a secret, which the log and the first page for people at this
 * machine show; it expires after an hour and is replaced at the next start.
 */
async function adviseNewcomer(platform: Platform): Promise<void> {
  const { config, log } = platform
  if (config.isDevelopment && config.bootstrapFile === null) {
    const outcome = await newcomerLink(platform)
    if (outcome?.kind !== 'link') return
    const { url: link, expiresAt, username, tenantSlug: tenant } = outcome
    log.info({ link, expiresAt, username, tenant }, 'there is no owner yet: open the link to become one')
    // For people, beside the log for programs.
    process.stderr.write(`\nThere is no owner yet. To become one, open within an hour:\n\n  ${link}\n\n`)
    keepNewcomerLink(platform, link)
  } else if ((await listTenantSlugs(platform, 1)).length === 0) {
    const next = 'name a BOOTSTRAP_FILE and start again, or run `chirograph apply FILE` or `chirograph owner create`'
    log.info({ next }, 'there is no tenant yet, so no client can get a token')
  }
}
