import type { Job } from '../../../jobs/job.ts'
import { every, type Schedule } from '../../../jobs/schedule.ts'
import { sweepSessions } from '../session.ts'
import { deleteExpiredStates } from '../spent-state-store.ts'
import { recordRefusalJob } from './record-refusal.ts'

/** Jobs of the sign-in by password. */
export const passwordJobs: readonly Job[] = [recordRefusalJob]

/** Sweeps of the sign-in. */
export const signInSchedules: readonly Schedule[] = [
  every(3600, 'authorization.delete-sign-in', async (platform) => {
    await sweepSessions(platform)
    const now = platform.clock.now()
    await platform.store.across('expired states and counts of all sign-ins', (tx) => deleteExpiredStates(tx, now))
  }),
]
