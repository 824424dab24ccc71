import { every, type Schedule } from '../../jobs/schedule.ts'
import { sweepTenants } from '../../jobs/sweep-tenants.ts'
import type { Platform } from '../../platform.ts'
import { expirePresentations, listTenantsWithDuePresentations } from './presentation-store.ts'

/** Sweeps of presentations. */
export const presentationSchedules: readonly Schedule[] = [every(60, 'wallet.expire-presentations', expireDue)]

/** Ends the presentations that were not answered in time, and deletes what was needed to answer them. */
export function expireDue(platform: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const reason = 'tenants with presentations to expire'
  return sweepTenants(platform, signal, reason, listTenantsWithDuePresentations, expirePresentations)
}
