import type { Caller } from '../../caller.ts'
import type { IssuanceView } from '../../contract/issuance/issuances.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { getIssuance } from '../issuances/get-issuance.ts'
import { approveDeferred, denyDeferred } from './deferral-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'log' | 'memory'>

const decisions = {
  approve: { store: approveDeferred, action: 'issuance.approved', detail: {} },
  deny: { store: denyDeferred, action: 'openid4vc.issuance.failed', detail: { cause: 'denied' } },
} as const

/**
 * Approves or denies a deferred credential. A denial erases the claims and is final; an approved credential may be
 * denied until the wallet has fetched it. A repeated decision changes nothing.
 *
 * @throws Fault `resource.unknown`, `state.invalid` if no wallet has asked for the credential, or it was decided
 *   otherwise or has ended
 */
export async function decideDeferral(
  needs: Needs,
  caller: Caller,
  id: string,
  decision: keyof typeof decisions,
): Promise<IssuanceView> {
  const { store, action, detail } = decisions[decision]
  const now = needs.clock.now()
  const about = { credentialId: credentialIdOf(id), ...detail }
  const entry = { action, subject: { kind: 'issuance', id }, by: caller, detail: about } as const
  const outcome = await needs.store.inTenant(caller.tenantId, (tx) => store(tx, id, entry, now))
  if (outcome === 'unknown') throw new Fault('resource.unknown')
  if (outcome === 'closed') throw new Fault('state.invalid', { detail: 'The issuance is not waiting for approval.' })
  return getIssuance(needs, caller, id)
}
