import { forgetSharedCounts } from '../api/failure-limit.ts'
import { forgetAnswers } from '../api/keep-answers.ts'
import { inPieces } from '../store/in-pieces.ts'
import { deleteDeadJobs } from './job-store.ts'
import { every, type Schedule } from './schedule.ts'

const DEAD_KEPT_DAYS = 30

/** Sweeps of the job queue, and of the rooms below it, which cannot declare sweeps. */
export const jobSchedules: readonly Schedule[] = [
  every(86_400, 'jobs.delete-dead', (platform, signal) => {
    const before = new Date(platform.clock.now().getTime() - DEAD_KEPT_DAYS * 86_400_000)
    return inPieces(platform, 'dead jobs of all tenants', signal, (tx, limit) => deleteDeadJobs(tx, before, limit))
  }),
  every(600, 'http.forget-answers', forgetAnswers),
  every(600, 'api.delete-shared-counts', forgetSharedCounts),
]
