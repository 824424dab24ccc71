import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { allTenantIds } from './find-tenant.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'config' | 'log'>

/** The schedules of tenants. */
export const tenantSchedules: readonly Schedule[] = [
  every(600, 'directory.rewrap-keys', rewrapKeys, { timeoutSeconds: 3600 }),
]

/** Seals the data keys of all tenants under MASTER_KEY, and tells when MASTER_KEY_PREVIOUS is no longer needed. */
export async function rewrapKeys({ store, sealing, config, log }: Needs, signal: AbortSignal): Promise<void> {
  if (config.masterKeyPrevious === null) return
  let rewrapped = 0
  for (const tenantId of [platformTenantId, ...(await allTenantIds({ store }))]) {
    if (signal.aborted) return
    rewrapped += await sealing.rewrap(tenantId)
  }
  log.info(
    { rewrapped },
    'every data key is sealed under MASTER_KEY: once all servers have it, MASTER_KEY_PREVIOUS may be removed',
  )
}
