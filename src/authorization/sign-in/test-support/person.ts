import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { platformOn } from '../../../../test/support/platform.ts'
import type { TenantId, UserId } from '../../../caller.ts'
import { type Config, readConfig } from '../../../config.ts'
import { randomBytes } from '../../../crypto/random.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import type { UserEntry } from '../../../directory/bootstrap/bootstrap-file.ts'
import { findTenant } from '../../../directory/tenants/find-tenant.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import type { Log, OutboundFetch, Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import { sql } from '../../../store/store.ts'
import type { Browser } from '../complete-sign-in.ts'
import type { UserRef, Visit } from '../visit.ts'

/** A clock that a test moves forward. */
export type MovedClock = { readonly now: () => Date; shiftSeconds: number }

/** Two server processes on one database: same clock, same master key, nothing else in common. */
export type Servers = {
  readonly one: Platform
  readonly two: Platform
  /** Starts one more process. */
  readonly another: () => Platform
  readonly clock: MovedClock
  readonly db: TestDatabase
}

type Parts = { readonly env?: Record<string, string>; readonly fetch?: OutboundFetch; readonly log?: Log }

/** Opens a database of its own for a test file, with two platforms on it. */
export async function twoServers({ env = {}, ...parts }: Parts = {}): Promise<Servers> {
  const db = await openTestDatabase()
  const clock: MovedClock = { now: () => new Date(Date.now() + clock.shiftSeconds * 1000), shiftSeconds: 0 }
  const config: Config = readConfig({ PUBLIC_URL: 'https://id.example', ...env })
  const masterKey = randomBytes(32)
  const another = () => platformOn({ store: db.store, clock, config, masterKey, ...parts })
  return { one: another(), two: another(), another, clock, db }
}

/** A tenant of its own with these users. @returns their ids in the order of `users` */
export async function aTenantWith(
  platform: Platform,
  users: readonly UserEntry[],
): Promise<{ readonly tenantId: TenantId; readonly slug: string; readonly people: readonly UserRef[] }> {
  const slug = `t${newId().replaceAll('-', '')}`
  await applyBootstrap(platform, { tenants: [{ slug, name: `Org ${slug}`, users: [...users] }] })
  const tenantId = (await findTenant(platform, slug))?.id
  if (tenantId === undefined) throw new Error('no tenant')
  const people: UserRef[] = []
  for (const { username } of users) {
    const user = await platform.store.single(tenantId, (tx) => getUser(tx, 'username', username))
    people.push({ tenantId, userId: user.id as UserId })
  }
  return { tenantId, slug, people }
}

/** A request of a browser from a network of its own. */
export function aVisit(ip = `198.51.100.${randomBytes(1)[0]}`): Visit {
  return { ip, userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', requestId: newId() }
}

/** The Cookie header of a browser that was given these Set-Cookie headers. */
export function cookieHeader(...set: readonly (string | null)[]): string {
  return set.flatMap((one) => (one === null ? [] : [one.split(';')[0] ?? ''])).join('; ')
}

let names = 0
let networks = 0

/** A name that no other test uses. */
export function aName(): string {
  names += 1
  return `person${names}`
}

/** A browser in a network of its own, with these cookies. */
export function aBrowser(...cookies: readonly (string | null)[]): Browser {
  networks += 1
  return { visit: aVisit(`203.0.${networks >> 8}.${networks & 255}`), cookieHeader: cookieHeader(...cookies) }
}

const disable = sql('test.disable_user', 'update user_account set enabled = false where tenant_id = $1 and id = $2')
const actions = sql(
  'test.audit_actions',
  'select action, result, subject_id as subject from audit_entry where tenant_id = $1 order by id',
)
const jobRows = sql('test.job_payloads', 'select name, payload from job where tenant_id = $1 order by id')

/** Disables a user. */
export async function disableUser({ store }: Platform, { tenantId, userId }: UserRef): Promise<void> {
  await store.single(tenantId, (tx) => tx.rows(disable, [tenantId, userId]))
}

/** The audit trail of a tenant, oldest first. */
export async function auditOf({ store }: Platform, tenantId: TenantId) {
  return store.single(tenantId, (tx) =>
    tx.rows<{ action: string; result: string; subject: string | null }>(actions, [tenantId]),
  )
}

/** The queue of a tenant, oldest first. */
export async function jobsOf({ store }: Platform, tenantId: TenantId) {
  return store.single(tenantId, (tx) =>
    tx.rows<{ name: string; payload: Record<string, unknown> }>(jobRows, [tenantId]),
  )
}
