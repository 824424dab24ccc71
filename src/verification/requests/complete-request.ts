import type { TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import { nullIfRefused } from '../../store/store.ts'
import type { ClaimedRequest } from './presentation-request.ts'
import { type Completion, completeRequest, isCompletedBy } from './response-claim-store.ts'

/**
 * Completes a request once. A call whose database answer was lost may repeat it with the same claim.
 *
 * @returns false if another response has claimed the request; then nothing was written.
 */
export async function completeOnce(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  request: Pick<ClaimedRequest, 'id' | 'claim'>,
  completion: Completion,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const completing = store.single(tenantId, (tx) => completeRequest(tx, request, completion, entry, now))
  if ((await nullIfRefused(completing)) !== null) return true
  return store.single(tenantId, (tx) => isCompletedBy(tx, request))
}
