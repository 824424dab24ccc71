import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Assembled, assemble, type DatabaseUse } from './assembly.ts'
import { integrityChecks, restores, sealedColumns } from './contributions.ts'
import { allTenants } from './directory/removal/list-tenants.ts'
import { previewRemoval, removeTenant } from './directory/removal/remove-tenant.ts'
import type { PlatformTenant, RemovedTenant } from './directory/removal/removed-tenant.ts'
import { allTenantIds } from './directory/tenants/find-tenant.ts'
import { type KeyRotation, rotateDataKeys } from './directory/tenants/rotate-keys.ts'
import { type ArchiveCheck, checkArchive } from './events/archive/archive-file.ts'
import { checkBackup } from './recovery/backup-check.ts'
import { type IntegrityReport, verifyIntegrity } from './recovery/integrity.ts'
import { type RecoveryReport, recover } from './recovery/recover.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What belongs to a restored state is prepared here, before any server runs. */
const RECOVERS: DatabaseUse = { refusesOlderState: false, schema: 'migrates' }
/** Servers of an older version may be running. */
const ROTATES: DatabaseUse = { refusesOlderState: true, schema: 'asItIs' }
const VERIFIES: DatabaseUse = { refusesOlderState: false, schema: 'asItIs' }
const CHECKS: DatabaseUse = { refusesOlderState: false, schema: 'any' }

/**
 * Makes a restored database safe to serve.
 *
 * @param isWaiting Whether to wait until short-lived proofs of the lost time have expired.
 */
export function recoverDatabase(env: Env, since: Date, isWaiting: boolean): Promise<RecoveryReport> {
  return withPlatform(env, RECOVERS, async ({ app: { platform } }) => {
    const wait = async (ms: number) => {
      platform.log.warn({ seconds: Math.ceil(ms / 1000) }, 'waiting until proofs of the lost time have expired')
      await pause(ms)
    }
    return recover(platform, restores, await allTenantIds(platform), since, isWaiting ? wait : null)
  })
}

/** Checks what the database holds against itself. */
export function verifyDatabase(env: Env): Promise<IntegrityReport> {
  return withPlatform(env, VERIFIES, async ({ app: { platform } }) =>
    verifyIntegrity(platform, integrityChecks, await allTenantIds(platform)),
  )
}

/** Makes the next data key of every tenant and seals what is stored under it. */
export function rotateKeys(env: Env): Promise<KeyRotation> {
  return withPlatform(env, ROTATES, ({ app: { platform } }) =>
    rotateDataKeys(platform, sealedColumns, new AbortController().signal),
  )
}

/** Returns all tenants, removed ones too, in the order in which they were created. */
export function listTenants(env: Env): Promise<readonly PlatformTenant[]> {
  return withPlatform(env, VERIFIES, ({ app: { platform } }) => allTenants(platform))
}

/** Returns what would go with a tenant, and whether its audit trail is archived. @throws Fault `resource.unknown` */
export function describeTenantRemoval(env: Env, slug: string) {
  return withPlatform(env, VERIFIES, async ({ config, app: { platform } }) => ({
    ...(await previewRemoval(platform, slug)),
    isArchived: config.auditArchive !== null,
  }))
}

/** Closes a tenant, whose rows the servers remove then. @throws Fault `resource.unknown` */
export function removeTenantNow(env: Env, slug: string): Promise<RemovedTenant> {
  return withPlatform(env, ROTATES, ({ app: { platform } }) =>
    removeTenant(platform, slug, { by: 'system', clientId: null }),
  )
}

/** Says what backups of the deployment lack. */
export function checkBackups(env: Env): Promise<Awaited<ReturnType<typeof checkBackup>>> {
  return withPlatform(env, CHECKS, ({ app: { platform } }) => checkBackup(platform))
}

/** Checks each folder of an audit archive, without a database. @returns what was found, by tenant id */
export async function checkAuditArchive(folder: string): Promise<Readonly<Record<string, ArchiveCheck>>> {
  const found: Record<string, ArchiveCheck> = {}
  for (const tenantId of (await foldersIn(folder)).sort()) found[tenantId] = await checkArchive(join(folder, tenantId))
  return found
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT') throw new Error(`there is no folder ${folder}`, { cause: error })
    if (code === 'ENOTDIR')
      throw new Error(`${folder} is a file; the folder of the archive is needed`, { cause: error })
    throw error
  }
}

async function withPlatform<T>(env: Env, use: DatabaseUse, work: (assembled: Assembled) => Promise<T>): Promise<T> {
  // The bootstrap file is for the server: its secrets need not be known here. What is printed is a report alone.
  const assembled = await assemble({ LOG_LEVEL: 'warn', ...env, BOOTSTRAP_FILE: '' }, {}, use)
  try {
    return await work(assembled)
  } finally {
    await assembled.release()
  }
}
