import type { TenantId } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { ResealingColumn } from '../../keys/reseal.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { allTenantIds } from './find-tenant.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'log'>

/** What a rotation did. */
export type KeyRotation = { readonly tenants: number; readonly resealed: Readonly<Record<string, number>> }

const ROTATED = {
  action: 'deployment.keys_rotated',
  subject: { kind: 'deployment', id: null },
  by: 'system',
} as const
const DAY_MS = 86_400_000
/**
 * How long former data keys are kept. What they seal outside the columns lives shorter: mails that wait, pushed
 * requests, kept answers, cookies and states of sign-ins; so do keys in the memory of processes.
 */
const FORMER_KEYS_MS = 31 * DAY_MS

/**
 * Makes the next data key of every tenant and seals the columns under it. Servers may run meanwhile; `resealSchedule`
 * finishes it.
 */
export async function rotateDataKeys(
  needs: Needs,
  columns: readonly ResealingColumn[],
  signal: AbortSignal,
): Promise<KeyRotation> {
  const tenants = [platformTenantId, ...(await allTenantIds(needs))]
  const resealed: Record<string, number> = {}
  for (const tenantId of tenants) {
    await needs.sealing.rotate(tenantId, (tx) => record(tx, ROTATED, needs.clock.now()))
    for (const column of columns) {
      const count = await column.reseal(needs, tenantId, signal)
      if (count > 0) resealed[column.name] = (resealed[column.name] ?? 0) + count
    }
  }
  return { tenants: tenants.length, resealed }
}

/** Seals what former data keys still seal, and deletes them 31 days after a rotation if they seal nothing more. */
export function resealSchedule(columns: readonly ResealingColumn[]): Schedule {
  return every(
    DAY_MS / 1000,
    'directory.reseal',
    async (platform, signal) => {
      for (const tenantId of [platformTenantId, ...(await allTenantIds(platform))]) {
        await resealTenant(platform, columns, tenantId, signal)
      }
    },
    { timeoutSeconds: 6 * 3600 },
  )
}

async function resealTenant(
  needs: Needs,
  columns: readonly ResealingColumn[],
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  const versions = await needs.sealing.versions(tenantId)
  if (versions === null || versions.rotatedAt === null || versions.oldest === versions.newest) return
  let count = 0
  for (const column of columns) count += await column.reseal(needs, tenantId, signal)
  const isOld = versions.rotatedAt.getTime() < needs.clock.now().getTime() - FORMER_KEYS_MS
  if (count > 0 || !isOld) return
  await needs.sealing.deleteFormer(tenantId)
  needs.log.info({ tenantId, newest: versions.newest }, 'the former data keys of a tenant were deleted')
}
