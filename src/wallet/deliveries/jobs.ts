import type { Job } from '../../jobs/job.ts'
import { retentionSchedule } from '../../jobs/retention.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { listTenantsWithExpiredDeliveries } from '../delivery-records/delivery-store.ts'
import { endedDeliveries } from '../delivery-records/retention.ts'
import { requeueDeliveries, resumeDeliveryJob } from './resume-delivery.ts'

/** Work on deliveries that outlives a request. */
export const deliveryJobs: readonly Job<never>[] = [resumeDeliveryJob]

/** Enqueues a job for each delivery whose lease has expired. */
export const resumeDeliveries = tenantSweep(
  'tenants with deliveries whose lease has expired',
  listTenantsWithExpiredDeliveries,
  requeueDeliveries,
)

/** Sweeps of deliveries. */
export const deliverySchedules: readonly Schedule[] = [
  every(30, 'wallet.resume-deliveries', resumeDeliveries),
  retentionSchedule(endedDeliveries),
]
