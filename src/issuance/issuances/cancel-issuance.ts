import type { Caller } from '../../caller.ts'
import type { IssuanceView } from '../../contract/issuance/issuances.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { getIssuance } from './get-issuance.ts'
import { cancelOffered } from './issuance-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'log' | 'memory'>

/**
 * Cancels an open issuance: its offer and its access token become invalid, and the claims are erased.
 *
 * @throws Fault `resource.unknown`, `state.invalid` if the credential is issued or the offer has ended
 */
export async function cancelIssuance(needs: Needs, caller: Caller, id: string): Promise<IssuanceView> {
  const now = needs.clock.now()
  const entry = { action: 'issuance.canceled', subject: { kind: 'issuance', id }, by: caller } as const
  const outcome = await needs.store.inTenant(caller.tenantId, (tx) => cancelOffered(tx, id, entry, now))
  if (outcome === 'unknown') throw new Fault('resource.unknown')
  if (outcome === 'closed') throw new Fault('state.invalid', { detail: 'Only an open issuance can be canceled.' })
  return getIssuance(needs, caller, id)
}
