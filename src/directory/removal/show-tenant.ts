import type { Static } from 'typebox'
import type { TenantReply } from '../../contract/directory/tenants.ts'
import type { PlatformTenant } from './removed-tenant.ts'

/** Returns a tenant as our API shows it. */
export function showTenant({ id, slug, name, state, createdAt, removal }: PlatformTenant): Static<typeof TenantReply> {
  const head = { id, slug, name, state, createdAt: createdAt.toISOString() }
  if (removal === null) return { ...head, removal }
  const { removedAt, archivedAt, endedAt, ...more } = removal
  const times = {
    removedAt: removedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  }
  return { ...head, removal: { ...more, ...times } }
}
