import { hmacSha256 } from '../../../crypto/digest.ts'
import { foldCase } from '../../../directory/users/user.ts'
import { networkOf } from '../../../memory/network.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId, type TenantTx } from '../../../store/store.ts'
import { deleteFailures, type FailureCount, listFailures, lockFailures, putFailure } from './lockout-store.ts'

/** `name`: what serializes the outcomes. `own`: of the device or network. `all`: of the name from unknown devices; null for a known one. */
type FailureKeys = { readonly name: Buffer; readonly own: Buffer; readonly all: Buffer | null }

/** The decision about a sign-in whose password was checked. `isNewLock`: this failure is the one that locks. */
type Decision =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'wrong'; readonly isNewLock: boolean }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number }

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing'>

/** So many wrong passwords are let through before the first lock. A known device has a budget of its own. */
const OWN_MAX = 5
/** From all networks together, of devices that are not known; a person at a known device is not affected. */
const ALL_MAX = 100
const LOCK_SECONDS_MIN = 30
const LOCK_SECONDS_MAX = 900
const COUNT_SECONDS = 86_400

/**
 * Returns the keys under which failures are counted: by name and network, or by name and device where the device is known; both in every
 * tenant together, so that naming a tenant gives no second budget. MACs, so that the table holds no names.
 *
 * @param deviceId A device at which the person of this name signed in before.
 */
export async function failureKeys(
  { sealing }: Pick<Needs, 'sealing'>,
  name: string,
  ip: string,
  deviceId: string | null,
): Promise<FailureKeys> {
  const secret = await sealing.derive(platformTenantId, 'sign-in failures')
  const mac = (kind: string, of: string) => hmacSha256(secret, `${kind}\0${of}\0`, foldCase(name))
  const own = deviceId === null ? mac('network', networkOf(ip) ?? '') : mac('device', deviceId)
  return { name: mac('name', ''), own, all: deviceId === null ? mac('all', '') : null }
}

/** Returns for how many seconds sign-ins with these keys are refused, before any slow hash; 0 if they are not. One statement. */
export async function lockedSeconds({ store, clock }: Needs, keys: FailureKeys): Promise<number> {
  const now = clock.now()
  return remaining(await store.single(platformTenantId, (tx) => listFailures(tx, listOf(keys), now)), now)
}

/**
 * Decides about a sign-in after its password was checked, and counts it if it was wrong. The outcomes of one name are decided one after the
 * other in the whole deployment, so concurrent guesses cannot exceed the limit. Writes nothing if the password is right and none was wrong
 * before.
 *
 * @param onWrong Written in the same transaction when a wrong password is counted.
 */
export async function decide(
  { store, clock }: Needs,
  keys: FailureKeys,
  isRight: boolean,
  onWrong: (tx: TenantTx, isNewLock: boolean) => Promise<void>,
): Promise<Decision> {
  return store.inTenant(platformTenantId, async (tx) => {
    await lockFailures(tx, keys.name)
    const now = clock.now()
    const counts = await listFailures(tx, listOf(keys), now)
    const retryAfterSeconds = remaining(counts, now)
    if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds }
    if (isRight) {
      if (counts.some(({ key }) => key.equals(keys.own))) await deleteFailures(tx, keys.own)
      return { kind: 'admitted' }
    }
    const isNewLock = await countFailure(tx, keys, counts, now)
    await onWrong(tx, isNewLock)
    return { kind: 'wrong', isNewLock }
  })
}

async function countFailure(tx: TenantTx, keys: FailureKeys, counts: readonly FailureCount[], now: Date) {
  let isNewLock = false
  for (const key of listOf(keys)) {
    const count = (counts.find((one) => one.key.equals(key))?.count ?? 0) + 1
    const over = count - (key === keys.own ? OWN_MAX : ALL_MAX)
    const seconds = over < 0 ? 0 : Math.min(LOCK_SECONDS_MAX, LOCK_SECONDS_MIN * 2 ** Math.min(over, 10))
    const blockedUntil = seconds === 0 ? null : after(now, seconds)
    isNewLock ||= over === 0
    await putFailure(tx, { key, count, blockedUntil }, after(now, COUNT_SECONDS))
  }
  return isNewLock
}

function remaining(counts: readonly FailureCount[], now: Date): number {
  const ends = counts.map(({ blockedUntil }) => ((blockedUntil?.getTime() ?? 0) - now.getTime()) / 1000)
  return Math.ceil(Math.max(0, ...ends))
}

function listOf({ own, all }: FailureKeys): readonly Buffer[] {
  return all === null ? [own] : [own, all]
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}
