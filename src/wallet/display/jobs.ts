import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { listTenantsWithLateImages } from './display-store.ts'
import { fetchImagesJob, requeueImages } from './fetch-images.ts'

/** Work on the look of credentials that outlives a request. */
export const displayJobs: readonly Job<never>[] = [fetchImagesJob]

/** Enqueues the lost jobs of images. */
export const resumeImages = tenantSweep(
  'tenants with images whose job may be lost',
  listTenantsWithLateImages,
  requeueImages,
)

/** Sweeps of the look of credentials. */
export const displaySchedules: readonly Schedule[] = [every(300, 'wallet.resume-images', resumeImages)]
