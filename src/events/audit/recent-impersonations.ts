import type { TenantId, UserId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { listAuditRows } from './audit-store.ts'

const DAYS = 90
const ENTRIES_MAX = 10

/** One time that a caller came to act for a user. */
export type Impersonation = { readonly at: Date; readonly way: string; readonly actorId: string | null }

/**
 * Lists the last times that callers came to act for a user by something else than the user's own proof: at most 10, of
 * the last 90 days.
 */
export async function recentImpersonations(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, userId }: { readonly tenantId: TenantId; readonly userId: UserId },
): Promise<readonly Impersonation[]> {
  const since = new Date(clock.now().getTime() - DAYS * 86_400_000).toISOString()
  const ask = { size: ENTRIES_MAX, after: null, before: null, sort: { field: 'createdAt' }, readDescending: true }
  const filter = { subject: userId, action: 'user.impersonated', result: 'done', createdAfter: since } as const
  const rows = await store.single(tenantId, (tx) => listAuditRows(tx, ask, filter))
  return rows.slice(0, ENTRIES_MAX).map(({ at, actorId, detail }) => {
    return { at, actorId, way: typeof detail.way === 'string' ? detail.way : 'token_exchange' }
  })
}
