import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { sweepTenants } from '../../jobs/sweep-tenants.ts'
import type { Platform } from '../../platform.ts'
import { listTenantsWithExpiredDeliveries } from '../delivery-records/delivery-store.ts'
import { requeueDeliveries, resumeDeliveryJob } from './resume-delivery.ts'

/** Work on deliveries that outlives a request. */
export const deliveryJobs: readonly Job<never>[] = [resumeDeliveryJob]

/** Sweeps of deliveries. */
export const deliverySchedules: readonly Schedule[] = [every(30, 'wallet.resume-deliveries', resumeDeliveries)]

/** Enqueues a job for each delivery whose lease has expired. */
export function resumeDeliveries(platform: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const reason = 'tenants with deliveries whose lease has expired'
  return sweepTenants(platform, signal, reason, listTenantsWithExpiredDeliveries, requeueDeliveries)
}
