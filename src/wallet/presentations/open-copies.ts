import type { TenantId, UserId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { takeCopies } from '../credentials/credential-store.ts'
import { openCopy } from '../credentials/sealed-copy.ts'
import { requestRefills } from '../refills/refill-copies.ts'
import type { OpenCopy } from './build-vp-token.ts'

/**
 * Takes one copy of each credential for a presentation, opens it, and requests new copies where few are left.
 *
 * @returns by credential id
 * @throws Fault `credential.unmatched` if one is not accepted any more, or they are too large together
 */
export async function openCopies(
  { store, sealing, clock }: Pick<Platform, 'store' | 'sealing' | 'clock'>,
  { tenantId, userId }: { readonly tenantId: TenantId; readonly userId: UserId },
  ids: readonly string[],
): Promise<ReadonlyMap<string, OpenCopy>> {
  const take = () => store.single(tenantId, (tx) => takeCopies(tx, userId, ids, clock.now()))
  const first = await take()
  // copies may be replaced concurrently
  const taken = first.length === ids.length ? first : await take()
  // one was removed or rejected concurrently
  if (taken.length !== ids.length) {
    const detail = 'A selected credential is not accepted any more, or those selected have more than 8 MiB together.'
    throw new Fault('credential.unmatched', { detail })
  }
  const low = taken.filter(({ isLow }) => isLow).map(({ credentialId }) => credentialId)
  if (low.length > 0) await store.inTenant(tenantId, (tx) => requestRefills(tx, low, clock.now()))
  const opened = taken.map(async (copy) => [copy.credentialId, await openCopy(sealing, tenantId, copy)] as const)
  return new Map(await Promise.all(opened))
}
