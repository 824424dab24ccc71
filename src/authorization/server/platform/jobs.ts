import type { Job } from '../../../jobs/job.ts'
import { every, type Schedule } from '../../../jobs/schedule.ts'
import type { Platform } from '../../../platform.ts'
import { type AcrossTx, platformTenantId } from '../../../store/store.ts'
import { deleteSpentJtis } from '../../access/spent-jti-store.ts'
import { deleteExpiredCodes } from '../grants/code-store.ts'
import { deleteExpiredFamilies } from '../grants/family-store.ts'
import { deletePushedRequests } from '../request/pushed-request-store.ts'
import { sendLogoutJob } from '../session-end/send-logout.ts'
import { sessionEndedJob } from '../session-end/session-ended.ts'

const ROTATION_DAYS = 90
/** A used code is kept for so long after it expired, so that its second use is detected. */
const USED_CODE_SECONDS = 3600
const ROWS_PER_TURN = 1000

/** Jobs of the authorization server. */
export const authorizationJobs: readonly Job[] = [sessionEndedJob, sendLogoutJob]

/** Sweeps of the authorization server. */
export const authorizationSchedules: readonly Schedule[] = [
  every(ROTATION_DAYS * 86_400, 'authorization.rotate-access-token-key', rotateKeys, { startsAtOnce: false }),
  every(300, 'authorization.delete-expired', deleteExpired),
]

async function rotateKeys({ keys }: Platform): Promise<void> {
  await keys.rotate(platformTenantId, 'access-token')
  await keys.rotate(platformTenantId, 'id-token')
}

async function deleteExpired(platform: Platform, signal: AbortSignal): Promise<void> {
  const now = platform.clock.now()
  const codesBefore = new Date(now.getTime() - USED_CODE_SECONDS * 1000)
  await inPieces(platform, signal, (tx) => deleteSpentJtis(tx, now, ROWS_PER_TURN))
  await inPieces(platform, signal, (tx) => deletePushedRequests(tx, now, ROWS_PER_TURN))
  await inPieces(platform, signal, (tx) => deleteExpiredCodes(tx, codesBefore, ROWS_PER_TURN))
  await inPieces(platform, signal, (tx) => deleteExpiredFamilies(tx, now, ROWS_PER_TURN))
}

/** Repeats a deletion, each in a transaction of its own, until it finds fewer rows than a piece has. */
async function inPieces({ store }: Platform, signal: AbortSignal, remove: (tx: AcrossTx) => Promise<number>) {
  let removed = ROWS_PER_TURN
  while (removed === ROWS_PER_TURN && !signal.aborted) {
    removed = await store.across('expired rows of all tenants', remove)
  }
}
