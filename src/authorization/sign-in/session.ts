import type { UserId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import { enqueueNamed } from '../../jobs/job.ts'
import { makeBearerSecret, readBearerSecret } from '../../keys/bearer-secret.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import { makeCookie, readSignInCookie } from './cookies.ts'
import {
  deleteEarlierSessions,
  deleteOldestSessions,
  deleteSession,
  deleteSessions,
  endFamiliesOf,
  insertSession,
  listSessionRows,
  lockSessions,
  renewSession,
  type SessionRow,
  type SessionWrite,
  useSession,
} from './session-store.ts'
import { actorOf, type UserRef, type Visit } from './visit.ts'

/** A browser in which a user of a tenant is signed in. */
export type Session = UserRef & {
  readonly tenantSlug: string
  readonly sessionId: string
  readonly authenticatedAt: Date
  /** RFC 8176 authentication method references. */
  readonly methods: readonly string[]
  readonly expiresAt: Date
}

/** A session in the list of a user. `network` has no host part. */
export type SessionView = Omit<SessionRow, 'userId'> & { readonly isCurrent: boolean }

const LIFETIME_SECONDS = 30 * 86_400
const IDLE_SECONDS = 12 * 3600
const SEEN_SECONDS = 300
const FRESH_SECONDS = 900
const SESSIONS_MAX = 20
const USER_AGENT_CHARS_MAX = 200

/** Ends refresh tokens and logs out of clients; the authorization server declares the job of this name. */
const SESSION_ENDED = 'authorization.session-ended'
/** Ends the messages to the browsers of a user; the wallet declares the job of this name. */
const DELETE_PUSH_SUBSCRIPTIONS = 'wallet.delete-push-subscriptions'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls'>

/**
 * Starts a session, always with a new secret: a cookie from before the sign-in is worth nothing. The same user who
 * authenticates again in a browser keeps the session (and what clients got from it) under a new secret; a session of
 * another user ends. At most 20 sessions per user: the least recently used ends.
 *
 * @param current The session of the browser.
 * @returns the session and its Set-Cookie header; null if the user or the tenant is unknown, disabled or deleted.
 */
export async function startSession(
  needs: Needs,
  { tenantId, userId }: UserRef,
  methods: readonly string[],
  visit: Visit,
  current: Session | null = null,
): Promise<{ readonly session: Session; readonly cookie: string } | null> {
  const tenant = await findTenantOf(needs, tenantId)
  if (tenant === null) return null
  const now = needs.clock.now()
  const isSame = current !== null && current.tenantId === tenantId && current.userId === userId
  if (current !== null && !isSame) await endSession(needs, current, actorOf(current.userId, visit))
  const kept = isSame ? current.sessionId : undefined
  const secret = makeBearerSecret(tenantId, kept)
  const expiresAt = new Date(now.getTime() + LIFETIME_SECONDS * 1000)
  const { id: sessionId, hash: tokenHash } = secret
  const write = { sessionId, tokenHash, userId, expiresAt, methods, ...deviceOf(visit) }
  const isStarted = await needs.store.inTenant(tenantId, (tx) =>
    writeSession(tx, write, kept !== undefined, visit, now),
  )
  if (!isStarted) return null
  const session = { tenantId, tenantSlug: tenant.slug, userId, sessionId, authenticatedAt: now, methods, expiresAt }
  return { session, cookie: makeCookie(needs, 'session', secret.text, LIFETIME_SECONDS) }
}

async function writeSession(tx: TenantTx, write: SessionWrite, isKept: boolean, visit: Visit, now: Date) {
  const { userId, sessionId, methods } = write
  const by = actorOf(userId, visit)
  await lockSessions(tx, userId)
  const isRenewed = isKept && (await renewSession(tx, write, now))
  if (!isRenewed && !(await insertSession(tx, write, now))) return false
  const subject = { kind: 'user', id: userId } as const
  await record(tx, { action: 'user.authenticated', subject, by, detail: { sessionId, methods } }, now)
  await recordEnded(tx, userId, await deleteOldestSessions(tx, userId, SESSIONS_MAX), by, now)
  return true
}

/**
 * Returns the session that a Cookie header names, in one statement; null if there is none, or it has ended or expired
 * (12 h without use, 30 days), or its user or tenant may not sign in.
 */
export async function findSession(needs: Needs, cookieHeader: string | undefined): Promise<Session | null> {
  const secret = readBearerSecret(readSignInCookie(needs, 'session', cookieHeader) ?? '')
  if (secret === null) return null
  const { tenantId, id, hash } = secret
  const now = needs.clock.now()
  const at = { now, idleSince: idleSince(now), seenBefore: new Date(now.getTime() - SEEN_SECONDS * 1000) }
  const found = await needs.store.single(tenantId, (tx) => useSession(tx, id, hash, at))
  const tenant = found === null ? null : await findTenantOf(needs, tenantId)
  if (found === null || tenant === null) return null
  const { userId, sessionId, authenticatedAt, methods, expiresAt } = found
  return { tenantId, tenantSlug: tenant.slug, userId, sessionId, authenticatedAt, methods, expiresAt }
}

/** Whether the user authenticated within the last 15 minutes, as changes of what signs a user in require. */
export function isFresh({ clock }: Pick<Platform, 'clock'>, { authenticatedAt }: Session): boolean {
  return clock.now().getTime() - authenticatedAt.getTime() <= FRESH_SECONDS * 1000
}

/** Lists the sessions of the user of a session, the last used first. */
export async function listSessions(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, userId, sessionId: current }: Session,
): Promise<readonly SessionView[]> {
  const now = clock.now()
  const rows = await store.single(tenantId, (tx) => listSessionRows(tx, userId, now, idleSince(now)))
  return rows.map(({ userId: _, ...one }) => ({ ...one, isCurrent: one.sessionId === current }))
}

/** Ends one session of a user. Returns false if there is none: of two concurrent callers one gets true. */
export async function endSession(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, userId, sessionId }: UserRef & { readonly sessionId: string },
  by: Actor,
): Promise<boolean> {
  if (!isUuid(sessionId)) return false
  return store.inTenant(tenantId, async (tx) => {
    const ended = await deleteSession(tx, userId, sessionId)
    await recordEnded(tx, userId, ended, by, clock.now())
    return ended.length > 0
  })
}

/**
 * Ends the sessions of a user in the caller's transaction. Returns their number.
 *
 * @param except The session that stays, if any.
 */
export async function endSessions(
  tx: TenantTx,
  userId: UserId,
  by: Actor,
  now: Date,
  except: string | null = null,
): Promise<number> {
  const ended = await deleteSessions(tx, userId, except)
  await recordEnded(tx, userId, ended, by, now)
  await enqueueNamed(tx, DELETE_PUSH_SUBSCRIPTIONS, { userId, before: now.toISOString() }, { now })
  return ended.length
}

/** As {@link endSessions}, those that started at `before` or earlier. */
export async function endEarlierSessions(tx: TenantTx, userId: UserId, before: Date, by: Actor, now: Date) {
  await recordEnded(tx, userId, await deleteEarlierSessions(tx, userId, before), by, now)
  await enqueueNamed(tx, DELETE_PUSH_SUBSCRIPTIONS, { userId, before: before.toISOString() }, { now })
}

/** A session that was deleted. */
type Ended = { readonly id: string; readonly userId: string }

/**
 * Ends the refresh tokens that clients got from sessions which the transaction has deleted, and enqueues the end of all
 * else that they got.
 */
export async function endGrants(tx: TenantTx, ended: readonly Ended[], now: Date): Promise<void> {
  const ids = ended.map(({ id }) => id)
  await endFamiliesOf(tx, ids, now)
  for (const { id: sessionId, userId } of ended)
    await enqueueNamed(tx, SESSION_ENDED, { tenantId: tx.tenantId, sessionId, userId }, { now })
}

async function recordEnded(tx: TenantTx, userId: UserId, ended: readonly string[], by: Actor, now: Date) {
  for (const sessionId of ended) {
    await record(
      tx,
      { action: 'session.ended', subject: { kind: 'session', id: sessionId }, by, detail: { userId } },
      now,
    )
  }
  const sessions = ended.map((id) => ({ id, userId }))
  await endGrants(tx, sessions, now)
}

/** Returns when a session that has expired without use was last used, at the latest. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_SECONDS * 1000)
}

/** What the list of sessions shows of a device: no full address, no NUL, which the database refuses. */
function deviceOf({ ip, userAgent }: Visit) {
  const network = networkOf(ip) ?? ''
  return {
    userAgent: userAgent.replaceAll('\0', '').slice(0, USER_AGENT_CHARS_MAX),
    network: network.includes('.') ? network.replace(/\.\d+$/, '.0') : network,
  }
}
