import type { Job } from '../../jobs/job.ts'
import { fetchImagesJob } from './fetch-images.ts'

/** Work on the look of credentials that outlives a request. */
export const displayJobs: readonly Job<never>[] = [fetchImagesJob]
