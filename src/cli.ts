import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ConfigMistakes } from './config.ts'
import { generateVapidKey } from './crypto/web-push/vapid.ts'
import { BootstrapMistakes } from './directory/bootstrap/bootstrap-file.ts'
import type { PlatformTenant, RemovedTenant } from './directory/removal/removed-tenant.ts'
import { Fault } from './fault.ts'
import { apply, createOwner, distributeDatabase, migrateDatabase, start } from './main.ts'
import {
  checkAuditArchive,
  checkBackups,
  describeTenantRemoval,
  listTenants,
  recoverDatabase,
  removeTenantNow,
  rotateKeys,
  verifyDatabase,
} from './maintenance.ts'
import type { IntegrityReport } from './recovery/integrity.ts'

type Env = Readonly<Record<string, string | undefined>>

const USAGE = `chirograph: issue, hold and verify digital credentials

  chirograph serve          start the server (settings: docs/configuration.md)
  chirograph migrate        bring the database up to date, and do nothing else
  chirograph distribute     distribute the tables over a Citus cluster, while no server runs (docs/distribution.md)
  chirograph apply FILE     apply a bootstrap file of tenants, clients and users
  chirograph owner create [--tenant SLUG] [--username NAME]
                            print a one-time link by which a person becomes an owner of a tenant
  chirograph tenant list    list the tenants, removed ones too
  chirograph tenant remove SLUG [--yes]
                            remove a tenant with everything that is stored for it; without --yes: say what that is
  chirograph push-key       make a key for VAPID_PRIVATE_KEY, and print it
  chirograph backup-check   say what backups of this deployment lack
  chirograph verify         check what the database holds against itself, and print a report
  chirograph keys rotate    make new data keys for all tenants, and seal what is stored under them
  chirograph audit-check FOLDER
                            check an archive of the audit trail (AUDIT_ARCHIVE), and print a report
  chirograph recover --since TIME [--no-wait]
                            make a restored backup safe to serve, while no server runs (docs/recovery.md)
  chirograph help           show this text
  chirograph version        show the version
`

/** Runs one command. @returns the exit status; a running server keeps the process alive. */
export async function run(args: readonly string[], env: Env): Promise<number> {
  const [command = 'help', file] = args
  try {
    if (command === 'serve' && args.length === 1) return await serve(env)
    if (command === 'migrate' && args.length === 1) return print(migrated(await migrateDatabase(env)))
    if (command === 'distribute' && args.length === 1)
      return print(JSON.stringify(await distributeDatabase(env), null, 2))
    if (command === 'push-key' && args.length === 1) return print(generateVapidKey().toString('base64url'))
    if (command === 'backup-check' && args.length === 1) return printBackupCheck(await checkBackups(env))
    if (command === 'verify' && args.length === 1) return printIntegrity(await verifyDatabase(env))
    if (command === 'keys' && file === 'rotate' && args.length === 2)
      return print(JSON.stringify(await rotateKeys(env), null, 2))
    if (command === 'audit-check' && file !== undefined && args.length === 2) return await printArchiveCheck(file)
    if (command === 'recover') return await printRecovery(env, args.slice(1))
    if (command === 'owner' && file === 'create') return await printOwnerLink(env, args.slice(2))
    if (command === 'tenant' && file === 'list' && args.length === 2) return printTenants(await listTenants(env))
    if (command === 'tenant' && file === 'remove') return await printRemoval(env, args.slice(2))
    if (command === 'apply' && file !== undefined && args.length === 2) return await applyFile(env, file)
  } catch (error) {
    console.error(`chirograph: ${explain(error)}`)
    return 1
  }
  if (['help', '--help', '-h'].includes(command)) return print(USAGE)
  if (['version', '--version', '-v'].includes(command)) return print(version())
  console.error(`chirograph: ${usageMistake(command)}\n\n${USAGE}`)
  return 2
}

function print(text: string): number {
  console.log(text)
  return 0
}

function migrated(count: number): string {
  return count === 0 ? 'the database is up to date' : `migrations applied: ${count}`
}

function usageMistake(command: string): string {
  if (command === 'owner') return 'owner takes the word create'
  if (command === 'tenant') return 'tenant takes the word list, or the word remove and a slug'
  if (command === 'push-key') return 'push-key takes no arguments'
  if (['serve', 'migrate', 'distribute', 'verify', 'backup-check'].includes(command)) {
    return `${command} takes no arguments; its settings are environment variables`
  }
  if (command === 'keys') return 'keys takes the word rotate'
  if (command === 'audit-check') return 'audit-check takes one argument, the folder'
  return command === 'apply' ? 'apply takes one argument, the file' : `there is no command ${command}`
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}

async function serve(env: Env): Promise<number> {
  const running = await start(env)
  let signals = 0
  const stop = (signal: NodeJS.Signals) => {
    signals += 1
    // A signal to a process group arrives twice where a parent relays it, so the second is ignored; a third one exits
    // at once.
    if (signals > 1) return signals > 2 ? process.exit(signal === 'SIGINT' ? 130 : 143) : undefined
    running.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(`chirograph: ${explain(error)}`)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  return 0
}

async function applyFile(env: Env, file: string): Promise<number> {
  await apply(env, file)
  console.log(`applied ${file}`)
  return 0
}

async function printOwnerLink(env: Env, args: readonly string[]): Promise<number> {
  const options = { tenant: { type: 'string' }, username: { type: 'string' } } as const
  const { tenant = null, username = null } = parseArgs({ args: [...args], options }).values
  const made = await createOwner({ LOG_LEVEL: 'warn', ...env }, tenant, username)
  const until = made.expiresAt.toISOString()
  const text = `Open this link to become ${made.username}, an owner of ${made.tenantSlug}. It works once, until ${until}:`
  return print(`${text}\n\n${made.url}`)
}

function printTenants(tenants: readonly PlatformTenant[]): number {
  const width = Math.max(0, ...tenants.map(({ slug }) => slug.length))
  for (const { slug, state, name, removal } of tenants) {
    const progress = state === 'removing' ? ` (${removal?.rowsRemoved ?? 0} rows removed so far)` : ''
    console.log(`${slug.padEnd(width)}  ${state.padEnd(8)}  ${name}${progress}`)
  }
  return 0
}

async function printRemoval(env: Env, args: readonly string[]): Promise<number> {
  const options = { yes: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const [slug, ...others] = positionals
  if (slug === undefined || others.length > 0) throw new Error('tenant remove takes one argument, the slug')
  const about = await describeTenantRemoval(env, slug).catch((error: unknown) => {
    throw error instanceof Fault && error.code === 'resource.unknown' ? new Error(`there is no tenant ${slug}`) : error
  })
  if (about.kind === 'removed') return print(progressOf(about.removed))
  if (values.yes === true) return print(progressOf(await removeTenantNow(env, slug)))
  const { users, credentials, issuances, auditEntries } = about.counts
  const trail = about.isArchived ? 'written to AUDIT_ARCHIVE before' : 'not kept, since AUDIT_ARCHIVE is not set'
  return print(`This would remove the tenant ${slug} (${about.name}) with everything that is stored for it:

  people                        ${users}
  credentials in their wallets  ${credentials}
  issuances                     ${issuances}
  entries of the audit trail    ${auditEntries}, ${trail}

At most a million of each are counted. It cannot be undone. Nobody can verify the credentials that it issued any more,
also those in wallets of others: its keys and status lists are no longer published. The slug is never given to another tenant.

To remove the tenant: chirograph tenant remove ${slug} --yes`)
}

function progressOf({ slug, removedAt, rowsRemoved, endedAt }: RemovedTenant): string {
  if (endedAt !== null) return `The tenant ${slug} is removed; its last row went at ${endedAt.toISOString()}.`
  const closed = `The tenant ${slug} is closed since ${removedAt.toISOString()}.`
  const how = `Servers remove what is stored for it from a minute later on (${rowsRemoved} rows so far)`
  return `${closed} ${how}; \`chirograph tenant list\` says when that has ended.`
}

async function printRecovery(env: Env, args: readonly string[]): Promise<number> {
  const options = { since: { type: 'string' }, 'no-wait': { type: 'boolean' } } as const
  const { since = '', 'no-wait': isHurried = false } = parseArgs({ args: [...args], options }).values
  const at = new Date(since)
  if (Number.isNaN(at.getTime()))
    throw new Error('recover takes --since and the time of the backup, as 2026-01-31T02:00:00Z')
  return print(JSON.stringify(await recoverDatabase(env, at, !isHurried), null, 2))
}

/** @returns 1 if there is a fault */
function printIntegrity(report: IntegrityReport): number {
  console.log(JSON.stringify(report, null, 2))
  return Object.values(report.checks).some((count) => count > 0) ? 1 : 0
}

/** @returns 1 if there is a fault */
async function printArchiveCheck(folder: string): Promise<number> {
  const tenants = await checkAuditArchive(folder)
  console.log(JSON.stringify({ tenants }, null, 2))
  return Object.values(tenants).some(({ fault }) => fault !== null) ? 1 : 0
}

/** @returns 1 if something is missing */
function printBackupCheck(items: Awaited<ReturnType<typeof checkBackups>>): number {
  for (const { item, isMet, detail } of items) console.log(`${isMet ? 'ok     ' : 'missing'}  ${item}: ${detail}`)
  return items.every(({ isMet }) => isMet) ? 0 : 1
}

/** The message of a known error, the stack of an unexpected one. */
function explain(error: unknown): string {
  if (error instanceof ConfigMistakes || error instanceof BootstrapMistakes) return error.message
  if (!(error instanceof Error)) return String(error)
  const isPlain =
    ['Error', 'Fault'].includes(error.name) || ('code' in error && /^ERR_PARSE_ARGS/.test(String(error.code)))
  return isPlain ? error.message : (error.stack ?? error.message)
}
