import type { Job } from '../../../jobs/job.ts'
import { every, type Schedule } from '../../../jobs/schedule.ts'
import { inPieces } from '../../../store/in-pieces.ts'
import { endSessionsOfUserJob } from '../end-sessions-of-user.ts'
import { deleteExpiredClaims } from '../providers/held-claims-store.ts'
import { deleteExpiredCounts, deleteExpiredStates } from '../spent-state-store.ts'
import { sweepSessions } from '../sweep-sessions.ts'
import { recordRefusalJob } from './record-refusal.ts'

/** Jobs of the sign-in by password, and of sessions. */
export const passwordJobs: readonly Job[] = [recordRefusalJob, endSessionsOfUserJob]

/** Sweeps of the sign-in. */
export const signInSchedules: readonly Schedule[] = [
  every(3600, 'authorization.delete-sign-in', async (platform, signal) => {
    await sweepSessions(platform, signal)
    const now = platform.clock.now()
    const reason = 'expired states, counts and claims of all sign-ins'
    await inPieces(platform, reason, signal, (tx, limit) => deleteExpiredStates(tx, now, limit))
    await inPieces(platform, reason, signal, (tx, limit) => deleteExpiredCounts(tx, now, limit))
    await inPieces(platform, reason, signal, (tx, limit) => deleteExpiredClaims(tx, now, limit))
  }),
]
