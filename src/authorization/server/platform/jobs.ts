import type { Job } from '../../../jobs/job.ts'
import { every, type Schedule } from '../../../jobs/schedule.ts'
import { tenantSweep } from '../../../jobs/sweep-tenants.ts'
import type { Platform } from '../../../platform.ts'
import { inPieces } from '../../../store/in-pieces.ts'
import { platformTenantId } from '../../../store/store.ts'
import { deleteSpentJtis } from '../../access/spent-jti-store.ts'
import { deleteExpiredCodes } from '../grants/code-store.ts'
import { deleteExpiredFamilies } from '../grants/family-store.ts'
import { currentIdTokenUsages } from '../openid/id-token-keys.ts'
import { deletePushedRequests } from '../request/pushed-request-store.ts'
import { sendLogoutJob } from '../session-end/send-logout.ts'
import { requeueSessionEnds, sessionEndedJob } from '../session-end/session-ended.ts'
import { listTenantsWithUnfinishedEnds } from '../session-end/unfinished-end-store.ts'

const ROTATION_DAYS = 90
/** A used code is kept for so long after it expired, so that its second use is detected. */
const USED_CODE_SECONDS = 3600

/** Jobs of the authorization server. */
export const authorizationJobs: readonly Job[] = [sessionEndedJob, sendLogoutJob]

/** Enqueues the lost jobs of sessions that have ended. */
export const resumeSessionEnds = tenantSweep(
  'tenants with sessions whose end may be lost',
  listTenantsWithUnfinishedEnds,
  requeueSessionEnds,
)

/** Sweeps of the authorization server. */
export const authorizationSchedules: readonly Schedule[] = [
  every(ROTATION_DAYS * 86_400, 'authorization.rotate-access-token-key', rotateKeys, { startsAtOnce: false }),
  every(300, 'authorization.delete-expired', deleteExpired),
  every(300, 'authorization.resume-session-ends', resumeSessionEnds),
]

async function rotateKeys({ keys }: Platform): Promise<void> {
  await keys.rotate(platformTenantId, 'access-token')
  for (const usage of currentIdTokenUsages(keys)) await keys.rotate(platformTenantId, usage)
}

async function deleteExpired(platform: Platform, signal: AbortSignal): Promise<void> {
  const now = platform.clock.now()
  const codesBefore = new Date(now.getTime() - USED_CODE_SECONDS * 1000)
  const expired = (remove: Parameters<typeof inPieces>[3]) =>
    inPieces(platform, 'expired rows of all tenants', signal, remove)
  await expired((tx, limit) => deleteSpentJtis(tx, now, limit))
  await expired((tx, limit) => deletePushedRequests(tx, now, limit))
  await expired((tx, limit) => deleteExpiredCodes(tx, codesBefore, limit))
  await expired((tx, limit) => deleteExpiredFamilies(tx, now, limit))
}
