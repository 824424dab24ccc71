import type { TenantId, UserId } from '../../caller.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import type { ClientEntry, UserEntry } from '../../directory/bootstrap/bootstrap-file.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { getUser } from '../../directory/users/find-user.ts'
import { makeBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { makeCookie } from '../sign-in/cookies.ts'

const insert = sql(
  'test.sign_in.insert',
  `insert into sign_in_session (tenant_id, id, token_hash, user_id, created_at, last_seen_at, authenticated_at, expires_at, methods, user_agent, network)
   values ($1, $2, $3, $4, $5, $5, $5, $6, $7, '', '')`,
)
const renew = sql(
  'test.sign_in.renew',
  'update sign_in_session set authenticated_at = $3 where tenant_id = $1 and id = $2',
)

/** A browser in which a user is signed in. */
export type SignedIn = { readonly cookie: string; readonly sessionId: string; readonly userId: UserId }

/** A tenant of its own with clients and users. Ids of clients get a suffix, so that they are unique. */
export async function aTenantWith(
  platform: Platform,
  clients: readonly ClientEntry[],
  users: readonly UserEntry[] = [{ username: 'thandi' }],
) {
  const slug = `t-${newId()}`
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', clients: [...clients], users: [...users] }] })
  return { slug, tenantId: (await getTenant(platform, slug)).id }
}

/** Signs a user in, without the pages: a session that authenticated just now. */
export async function signIn(
  platform: Platform,
  tenantId: TenantId,
  { username = 'thandi', methods = ['pwd'] }: { readonly username?: string; readonly methods?: readonly string[] } = {},
): Promise<SignedIn> {
  const now = platform.clock.now()
  const secret = makeBearerSecret(tenantId)
  const user = await platform.store.single(tenantId, (tx) => getUser(tx, 'username', username))
  const values = [tenantId, secret.id, secret.hash, user.id, now, new Date(now.getTime() + 86_400_000), methods]
  await platform.store.single(tenantId, (tx) => tx.rows(insert, values))
  const [cookie = ''] = makeCookie(platform, 'session', secret.text, 3600).split(';')
  return { cookie, sessionId: secret.id, userId: user.id }
}

/** The user authenticates again in the same browser. */
export async function signInAgain(platform: Platform, tenantId: TenantId, { sessionId }: SignedIn): Promise<void> {
  await platform.store.single(tenantId, (tx) => tx.rows(renew, [tenantId, sessionId, platform.clock.now()]))
}
