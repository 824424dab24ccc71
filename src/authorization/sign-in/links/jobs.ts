import type { Job } from '../../../jobs/job.ts'
import { every, type Schedule } from '../../../jobs/schedule.ts'
import { inPieces } from '../../../store/in-pieces.ts'
import { sendMailJob } from '../mail/send-mail.ts'
import { deleteExpiredLinks } from '../one-time-link-store.ts'
import { sendResetJob } from './request-reset.ts'

/** Jobs of one-time links. */
export const linkJobs: readonly Job[] = [sendResetJob]

/** Mails with one-time links. */
export const linkMailJobs: readonly Job[] = [sendMailJob]

/** Sweeps of one-time links. */
export const linkSchedules: readonly Schedule[] = [
  every(3600, 'authorization.delete-links', (platform, signal) => {
    const now = platform.clock.now()
    return inPieces(platform, 'expired links of all tenants', signal, (tx, limit) => deleteExpiredLinks(tx, now, limit))
  }),
]
