import { hmacSha256 } from '../../../crypto/digest.ts'
import { foldCase } from '../../../directory/users/user.ts'
import { networksOf } from '../../../memory/network.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId, type TenantTx } from '../../../store/store.ts'
import { deleteFailures, type FailureCount, listFailures, lockFailures, putFailure } from './lockout-store.ts'

/**
 * `name`: what serializes the outcomes. `own`: of the device, or of the network and the wider ones that contain it,
 * with how many wrong passwords each may send. `all`: of the name from unknown devices; null for a known one.
 */
type FailureKeys = {
  readonly name: Buffer
  readonly own: readonly { readonly key: Buffer; readonly max: number }[]
  readonly all: Buffer | null
}

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
/**
 * Until so many in a day, a network that has sent no wrong password for the name within the day may send one although
 * the name is locked: many strangers do not keep a person from the first sign-in at a new device.
 */
const FIRSTS_MAX = 1000
const LOCK_SECONDS_MIN = 30
const LOCK_SECONDS_MAX = 900
const COUNT_SECONDS = 86_400

/**
 * Returns the keys under which failures are counted: by name and network, or by name and device where the device is
 * known; both in every tenant together, so that naming a tenant gives no second budget. MACs, so that the table holds
 * no names.
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
  if (deviceId !== null)
    return { name: mac('name', ''), own: [{ key: mac('device', deviceId), max: OWN_MAX }], all: null }
  const networks = networksOf(ip)
  const counted = networks.length === 0 ? [{ network: '', times: 1 }] : networks
  const own = counted.map(({ network, times }) => ({ key: mac('network', network), max: OWN_MAX * times }))
  return { name: mac('name', ''), own, all: mac('all', '') }
}

/**
 * Returns for how many seconds sign-ins with these keys are refused, before any slow hash; 0 if they are not. One
 * statement.
 */
export async function lockedSeconds({ store, clock }: Needs, keys: FailureKeys): Promise<number> {
  const now = clock.now()
  return remaining(keys, await store.single(platformTenantId, (tx) => listFailures(tx, listOf(keys), now)), now)
}

/**
 * Decides about a sign-in after its password was checked, and counts it if it was wrong. The outcomes of one name are
 * decided one after the other in the whole deployment, so concurrent guesses cannot exceed the limit. Writes nothing if
 * the password is right and none was wrong before.
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
    const retryAfterSeconds = remaining(keys, counts, now)
    if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds }
    if (isRight) {
      for (const { key } of keys.own) if (countOf(counts, key) > 0) await deleteFailures(tx, key)
      return { kind: 'admitted' }
    }
    const isNewLock = await countFailure(tx, keys, counts, now)
    await onWrong(tx, isNewLock)
    return { kind: 'wrong', isNewLock }
  })
}

async function countFailure(tx: TenantTx, keys: FailureKeys, counts: readonly FailureCount[], now: Date) {
  let isNewLock = false
  const limited = keys.all === null ? keys.own : [...keys.own, { key: keys.all, max: ALL_MAX }]
  for (const { key, max } of limited) {
    const count = countOf(counts, key) + 1
    const over = count - max
    const seconds = over < 0 ? 0 : Math.min(LOCK_SECONDS_MAX, LOCK_SECONDS_MIN * 2 ** Math.min(over, 10))
    const blockedUntil = seconds === 0 ? null : after(now, seconds)
    isNewLock ||= over === 0
    await putFailure(tx, { key, count, blockedUntil }, after(now, COUNT_SECONDS))
  }
  return isNewLock
}

function remaining({ own, all }: FailureKeys, counts: readonly FailureCount[], now: Date): number {
  const isFirst = own.every(({ key }) => countOf(counts, key) === 0)
  const isExempt = all !== null && isFirst && countOf(counts, all) < FIRSTS_MAX
  const ends = counts
    .filter(({ key }) => !(isExempt && all.equals(key)))
    .map(({ blockedUntil }) => ((blockedUntil?.getTime() ?? 0) - now.getTime()) / 1000)
  return Math.ceil(Math.max(0, ...ends))
}

function countOf(counts: readonly FailureCount[], key: Buffer): number {
  return counts.find((one) => one.key.equals(key))?.count ?? 0
}

function listOf({ own, all }: FailureKeys): readonly Buffer[] {
  return [...own.map(({ key }) => key), ...(all === null ? [] : [all])]
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}
