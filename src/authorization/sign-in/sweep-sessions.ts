import type { Platform } from '../../platform.ts'
import {
  deleteExpiredSessions,
  type ExpiredSession,
  listIdleSessions,
  listOldSessions,
} from './expired-session-store.ts'
import { endGrants, idleSince } from './session.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** Sessions of one turn; in each tenant they are deleted in one transaction. */
const ROWS_PER_TURN = 200
const FIRST = { id: '00000000-0000-0000-0000-000000000000', lastSeenAt: new Date(0) }

/**
 * Deletes the sessions of all tenants that have expired, and ends what clients got from them. A session that is idle
 * for 12 h but from which a client has a refresh token is no longer accepted from the browser, and deleted when its 30
 * days are over.
 */
export async function sweepSessions(needs: Needs, signal: AbortSignal): Promise<void> {
  const { store, clock } = needs
  const now = clock.now()
  const idle = idleSince(now)
  await inTurns(needs, signal, () =>
    store.across('expired sessions of all tenants', (tx) => listOldSessions(tx, now, ROWS_PER_TURN)),
  )
  await inTurns(needs, signal, (last) =>
    store.across('idle sessions of all tenants', (tx) => listIdleSessions(tx, idle, last, ROWS_PER_TURN)),
  )
}

async function inTurns(
  needs: Needs,
  signal: AbortSignal,
  list: (last: Pick<ExpiredSession, 'id' | 'lastSeenAt'>) => Promise<readonly ExpiredSession[]>,
): Promise<void> {
  let last: Pick<ExpiredSession, 'id' | 'lastSeenAt'> = FIRST
  for (;;) {
    const found = await list(last)
    for (const [tenantId, some] of Map.groupBy(found, (one) => one.tenantId)) {
      if (signal.aborted) return
      const ids = some.map(({ id }) => id)
      await endExpired(needs, tenantId, ids)
    }
    if (found.length < ROWS_PER_TURN) return
    last = found.at(-1) ?? FIRST
  }
}

async function endExpired({ store, clock }: Needs, tenantId: ExpiredSession['tenantId'], ids: readonly string[]) {
  const now = clock.now()
  await store.inTenant(tenantId, async (tx) => {
    const ended = await deleteExpiredSessions(tx, ids, { now, idleSince: idleSince(now) })
    const used = ended.filter(({ hasClients }) => hasClients)
    await endGrants(tx, used, now)
  })
}
