import { enqueueNamed } from '../../jobs/job.ts'
import { sql, type TenantTx } from '../../store/store.ts'

/** Ends the sessions of a user and what clients got from them; the sign-in declares the job of this name. */
const END_SESSIONS = 'authorization.end-sessions-of-user'
/** Tells one client that a session ended; the authorization server declares the job of this name. */
const SEND_LOGOUT = 'authorization.send-logout'

const list = sql(
  'directory.list_client_sessions',
  'select distinct session_id as "sessionId", client_id as "clientId" from client_session where tenant_id = $1 and user_id = $2',
)

/**
 * Enqueues the end of the sessions that a user has now: the user was disabled or deleted. Each is refused at once,
 * before the job runs.
 */
export async function enqueueEndOfSessions(tx: TenantTx, userId: string, now: Date): Promise<void> {
  await enqueueNamed(tx, END_SESSIONS, { userId, before: now.toISOString() }, { now })
}

/**
 * Enqueues a logout token for each client that the user is signed in to, before the user and their sessions are
 * destroyed.
 */
export async function enqueueLogouts(tx: TenantTx, userId: string, now: Date): Promise<void> {
  const found = await tx.rows<{ sessionId: string; clientId: string }>(list, [tx.tenantId, userId])
  for (const { sessionId, clientId } of found) {
    await enqueueNamed(tx, SEND_LOGOUT, { tenantId: tx.tenantId, sessionId, userId, clientId }, { now })
  }
}
