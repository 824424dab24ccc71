import { forgetAnswers } from '../api/keep-answers.ts'
import { deleteDeadJobs } from './job-store.ts'
import { every, type Schedule } from './schedule.ts'

const DEAD_KEPT_DAYS = 30

/** Sweeps of the queue itself, and of what the rooms below it leave. */
export const jobSchedules: readonly Schedule[] = [
  every(86_400, 'jobs.delete-dead', ({ store, clock }) => {
    const before = new Date(clock.now().getTime() - DEAD_KEPT_DAYS * 86_400_000)
    return store.across('jobs of all tenants that were given up long ago', (tx) => deleteDeadJobs(tx, before))
  }),
  every(600, 'http.forget-answers', forgetAnswers),
]
