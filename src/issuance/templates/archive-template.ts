import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { catalogChanged } from './catalog-lease.ts'
import type { CredentialTemplate } from './template.ts'
import { latestTemplate } from './template-cache.ts'
import { setArchived } from './template-store.ts'

/**
 * Archives a credential template: nothing is issued from it any more. Open offers can still be redeemed, and its type stays published.
 *
 * @throws Fault `resource.unknown`, also if it is already archived
 */
export async function archiveCredentialTemplate(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  caller: Caller,
  id: string,
): Promise<CredentialTemplate> {
  const entry = {
    action: 'credential_template.archived',
    subject: { kind: 'credential_template', id },
    by: caller,
  } as const
  const done = await needs.store.single(caller.tenantId, (tx) => setArchived(tx, id, entry, needs.clock.now()))
  if (!done) throw new Fault('resource.unknown')
  await catalogChanged(needs, caller.tenantId)
  return latestTemplate(needs, caller.tenantId, id)
}
