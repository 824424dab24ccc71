import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { findIssuance } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import type { IssuanceView } from './schemas.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls'>

/** Returns one issuance of the caller's tenant. @throws Fault `resource.unknown` */
export async function getIssuance(needs: Needs, caller: Caller, id: string): Promise<IssuanceView> {
  const found = await needs.store.single(caller.tenantId, (tx) => findIssuance(tx, id, needs.clock.now()))
  if (found === null) throw new Fault('resource.unknown')
  return showIssuance(needs, caller, found)
}
