import type { TenantId, UserId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { enqueueNamed } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { sql } from '../../store/store.ts'
import { readBearerSecret } from './bearer-secret.ts'
import { readCookie } from './cookies.ts'

/** A browser in which a user of a tenant is signed in. */
export type Session = {
  readonly tenantId: TenantId
  readonly userId: UserId
  readonly tenantSlug: string
  readonly sessionId: string
  readonly authenticatedAt: Date
  /** RFC 8176 authentication method references. */
  readonly methods: readonly string[]
  readonly expiresAt: Date
}

/** Ends refresh tokens and logs out of clients; the authorization server declares the job of this name. */
const SESSION_ENDED = 'authorization.session-ended'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls'>

const use = sql(
  'authorization.use_session',
  `select id as "sessionId", user_id as "userId", authenticated_at as "authenticatedAt", expires_at as "expiresAt", methods from sign_in_session
   where tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4 and is_active_user(user_id)`,
)
const remove = sql(
  'authorization.delete_session',
  'delete from sign_in_session where tenant_id = $1 and user_id = $2 and id = $3 returning id',
)

/** Returns the session that a Cookie header names, in one statement; null if there is none, or it has ended or expired. */
export async function findSession(needs: Needs, cookieHeader: string | undefined): Promise<Session | null> {
  const secret = readBearerSecret(readCookie(needs, 'session', cookieHeader) ?? '')
  if (secret === null) return null
  const { tenantId, id, hash } = secret
  const [found] = await needs.store.single(tenantId, (tx) =>
    tx.rows<Omit<Session, 'tenantId' | 'tenantSlug'>>(use, [tenantId, id, hash, needs.clock.now()]),
  )
  const tenant = found === undefined ? null : await findTenantOf(needs, tenantId)
  return found === undefined || tenant === null ? null : { ...found, tenantId, tenantSlug: tenant.slug }
}

/** Ends one session of a user. Returns false if there is none: of two concurrent callers one gets true. */
export async function endSession(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, userId, sessionId }: Pick<Session, 'tenantId' | 'userId' | 'sessionId'>,
  _by: Actor,
): Promise<boolean> {
  return store.inTenant(tenantId, async (tx) => {
    const ended = await tx.rows(remove, [tenantId, userId, sessionId])
    if (ended.length > 0) await enqueueNamed(tx, SESSION_ENDED, { tenantId, sessionId, userId }, { now: clock.now() })
    return ended.length > 0
  })
}
