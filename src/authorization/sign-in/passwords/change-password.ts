import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { enqueue } from '../../../jobs/job.ts'
import { isPasswordOf } from '../../../keys/password-hash.ts'
import { hashInPlace } from '../../../keys/slow-hashes.ts'
import type { Platform } from '../../../platform.ts'
import { isFresh, type Session } from '../session.ts'
import { actorOf, type Visit } from '../visit.ts'
import type { PasswordFinding } from './check-password.ts'
import { decide, failureKeys, lockedSeconds } from './lockout.ts'
import { recordRefusalJob } from './record-refusal.ts'
import { findingOf, hashNewPassword, storePassword } from './set-password.ts'

/** `stale`: the user has no password and authenticated more than 15 minutes ago. */
type ChangeOutcome =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'weak'; readonly finding: PasswordFinding }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'sealing'>

/**
 * Changes the password of the user of a session, who proves the current one; a user without a password has signed in
 * within the last 15 minutes. Every other session and every one-time link of the user ends. Wrong passwords are counted
 * for the user, apart from sign-ins.
 *
 * @throws Fault `request.rate_limited` when too many passwords are being hashed
 */
export async function changePassword(
  needs: Needs,
  session: Session,
  { current, password }: { readonly current: string; readonly password: string },
  visit: Visit,
): Promise<ChangeOutcome> {
  const { tenantId, userId, sessionId } = session
  const user = await needs.store.single(tenantId, (tx) => findSignInUser(tx, userId))
  if (user === null) return { kind: 'refused' }
  const finding = findingOf(password, user, await findTenantOf(needs, tenantId))
  if (finding !== null) return { kind: 'weak', finding }
  if (user.passwordHash === null && !isFresh(needs, session)) return { kind: 'stale' }
  const stored = user.passwordHash
  const refusal = stored === null ? null : await proveCurrent(needs, session, stored, current, visit)
  if (refusal !== null) return refusal
  const hash = await hashNewPassword(needs, tenantId, password)
  const now = needs.clock.now()
  const by = actorOf(userId, visit)
  const isSet = await needs.store.inTenant(tenantId, (tx) => storePassword(tx, userId, hash, by, now, sessionId))
  return { kind: isSet ? 'changed' : 'refused' }
}

async function proveCurrent(
  needs: Needs,
  { tenantId, userId }: Session,
  stored: string,
  current: string,
  { ip, requestId }: Visit,
): Promise<ChangeOutcome | null> {
  // A user is a name of its own here, with one budget for all devices: the session has proved the device.
  const keys = await failureKeys(needs, `${tenantId} ${userId}`, ip, userId)
  const retryAfterSeconds = await lockedSeconds(needs, keys)
  if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds }
  const tried = current.slice(0, 800)
  const isRight = await hashInPlace(needs, { tenantId }, () => isPasswordOf(stored, tried))
  const decision = await decide(needs, keys, isRight, async (tx, isNewLock) => {
    const payload = { users: [{ tenantId, userId }], ip, requestId, isNewLock }
    await enqueue(tx, recordRefusalJob, payload, { now: needs.clock.now() })
  })
  if (decision.kind === 'admitted') return null
  return decision.kind === 'locked' ? decision : { kind: 'refused' }
}
