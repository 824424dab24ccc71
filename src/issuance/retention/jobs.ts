import { retentionSchedule } from '../../jobs/retention.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { deleteEndedCredentials } from './ended-credentials.ts'
import { endedIssuances } from './ended-issuances.ts'

const DAY_SECONDS = 86_400
/** Enough for some millions of issuances; what is left waits for the next day. */
const TIMEOUT_SECONDS = 3600

/** Sweeps of issuances that came to nothing, and of credentials past their validity. */
export const issuanceRetention: readonly Schedule[] = [
  retentionSchedule(endedIssuances),
  every(DAY_SECONDS, 'issuance.delete-ended-credentials', deleteEndedCredentials, { timeoutSeconds: TIMEOUT_SECONDS }),
]
