import type { UserId } from '../../../caller.ts'
import { isJsonObject } from '../../../crypto/json.ts'
import { findTenant, findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { PasswordHolder } from '../../../directory/users/sign-in-user.ts'
import { findPasswordHolders, upgradePasswordHash } from '../../../directory/users/sign-in-users.ts'
import { enqueue } from '../../../jobs/job.ts'
import { hashPassword, isOutdatedHash, isPasswordOf, noPasswordHash } from '../../../keys/password-hash.ts'
import { hashInPlace } from '../../../keys/slow-hashes.ts'
import type { Platform } from '../../../platform.ts'
import { type Browser, completeSignIn, type SignedIn } from '../complete-sign-in.ts'
import { countSignInAttempt } from '../count-attempt.ts'
import { findKnownDevice } from '../known-device.ts'
import { sealState, spendState, unsealState } from '../sealed-state.ts'
import type { UserRef } from '../visit.ts'
import { decide, failureKeys, lockedSeconds } from './lockout.ts'
import { recordRefusalJob } from './record-refusal.ts'

/** What a person typed. `tenantSlug` null: in whatever organisation the name and the password are right. */
type PasswordSignIn = { readonly name: string; readonly password: string; readonly tenantSlug: string | null }

/** An organisation that a person may choose. */
export type Organisation = { readonly slug: string; readonly name: string }

/**
 * `choose`: the password is right in several organisations; `choice` is sealed, single use, and valid for five minutes.
 * `refused`: wrong name or password, never which. `locked`: too many wrong passwords for the name from this network or
 * device.
 */
type PasswordOutcome =
  | SignedIn
  | { readonly kind: 'choose'; readonly choice: string; readonly organisations: readonly Organisation[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'rateLimiter'>

/** A name may be the username of one user and the e-mail address of another. */
const HASHES_IN_TENANT = 2
/** Where more organisations have a name, a known browser finds its person; elsewhere the person names the own one. */
const HASHES_ANYWHERE = 4
const PASSWORD_CHARS_MAX = 800
const CHOICE_SECONDS = 300
const METHODS = ['pwd']
const REFUSED = { kind: 'refused' } as const

/**
 * Signs a person in by username or e-mail address and password. The number of slow hashes and of statements is the same
 * for every name, so neither answer nor time tells whether, how often and where a name exists.
 *
 * @throws Fault `request.rate_limited` by network, or when too many passwords are being checked
 */
export async function signInByPassword(
  needs: Needs,
  { name, password, tenantSlug }: PasswordSignIn,
  browser: Browser,
): Promise<PasswordOutcome> {
  const { visit, cookieHeader } = browser
  const refund = countSignInAttempt(needs, visit.ip)
  const hashes = tenantSlug === null ? HASHES_ANYWHERE : HASHES_IN_TENANT
  const device = await findKnownDevice(needs, cookieHeader)
  const holders = await holdersOf(needs, { name, tenantSlug }, device, hashes)
  const known = holders.find((one) => one.tenantId === device?.tenantId && one.userId === device.userId)
  const keys = await failureKeys(needs, name, visit.ip, known === undefined ? null : (device?.deviceId ?? null))
  const retryAfterSeconds = await lockedSeconds(needs, keys)
  if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds }
  const matching = await hashInPlace(needs, known ?? { ip: visit.ip }, () => matchingOf(holders, password, hashes))
  const decision = await decide(needs, keys, matching.length > 0, async (tx, isNewLock) => {
    const users = holders.map(({ tenantId, userId }) => ({ tenantId, userId }))
    const { ip, requestId } = visit
    await enqueue(tx, recordRefusalJob, { users, ip, requestId, isNewLock }, { now: needs.clock.now() })
  })
  if (decision.kind === 'locked') return decision
  if (decision.kind === 'wrong') return REFUSED
  refund()
  for (const holder of matching) await upgrade(needs, holder, password)
  const [only] = matching
  if (only !== undefined && matching.length === 1)
    return (await completeSignIn(needs, only, METHODS, browser)) ?? REFUSED
  return offerChoice(needs, matching)
}

/**
 * Completes a sign-in in the organisation that the person chose. Single use: of two concurrent requests one signs in.
 */
export async function chooseOrganisation(
  needs: Needs,
  { choice, tenantSlug }: { readonly choice: string; readonly tenantSlug: string },
  browser: Browser,
): Promise<SignedIn | typeof REFUSED> {
  const state = await unsealState(needs, 'choice', choice)
  const tenant = state === null ? null : await findTenant(needs, tenantSlug)
  if (state === null || tenant === null || !Array.isArray(state.values.users)) return REFUSED
  const user = state.values.users.filter(isJsonObject).find(({ tenantId }) => tenantId === tenant.id)
  if (user === undefined || !(await spendState(needs, state))) return REFUSED
  // The seal proves that this platform wrote the id.
  const chosen = { tenantId: tenant.id, userId: String(user.userId) as UserId }
  return (await completeSignIn(needs, chosen, METHODS, browser)) ?? REFUSED
}

async function holdersOf(
  needs: Needs,
  { name, tenantSlug }: Pick<PasswordSignIn, 'name' | 'tenantSlug'>,
  device: UserRef | null,
  limit: number,
): Promise<readonly PasswordHolder[]> {
  if (tenantSlug !== null) {
    const tenant = await findTenant(needs, tenantSlug)
    return tenant === null ? [] : findPasswordHolders(needs, name, tenant.id, limit)
  }
  const oldest = await findPasswordHolders(needs, name, null, limit)
  // For every name that is typed at a known browser, so that it tells no more than at another.
  if (device === null || (await findTenantOf(needs, device.tenantId)) === null) return oldest
  const there = await findPasswordHolders(needs, name, device.tenantId, HASHES_IN_TENANT)
  const own = there.filter(({ userId }) => userId === device.userId)
  return [...own, ...oldest.filter((one) => !own.some(({ userId }) => userId === one.userId))].slice(0, limit)
}

/** Checks the password against every holder's hash, and against no one's until `hashes` are computed. */
async function matchingOf(holders: readonly PasswordHolder[], password: string, hashes: number) {
  const tried = password.length > PASSWORD_CHARS_MAX ? '' : password
  const matching: PasswordHolder[] = []
  for (let at = 0; at < hashes; at += 1) {
    const holder = holders[at]
    const isRight = await isPasswordOf(holder?.passwordHash ?? noPasswordHash, tried)
    const isFirst = matching.every((one) => one.tenantId !== holder?.tenantId)
    if (holder !== undefined && isRight && isFirst) matching.push(holder)
  }
  return matching
}

/** Once the password is known to be right, another form or cost of its hash costs no secret. */
async function upgrade(
  needs: Needs,
  { tenantId, userId, passwordHash }: PasswordHolder,
  password: string,
): Promise<void> {
  if (!isOutdatedHash(passwordHash)) return
  const hash = await hashInPlace(needs, { tenantId }, () => hashPassword(password))
  await needs.store.single(tenantId, (tx) => upgradePasswordHash(tx, userId, passwordHash, hash))
}

async function offerChoice(needs: Needs, matching: readonly UserRef[]): Promise<PasswordOutcome> {
  const organisations: Organisation[] = []
  const users: { tenantId: string; userId: string }[] = []
  for (const { tenantId, userId } of matching) {
    const tenant = await findTenantOf(needs, tenantId)
    if (tenant === null) continue
    organisations.push({ slug: tenant.slug, name: tenant.name })
    users.push({ tenantId, userId })
  }
  if (organisations.length === 0) return REFUSED
  return { kind: 'choose', choice: await sealState(needs, 'choice', { users }, CHOICE_SECONDS), organisations }
}
