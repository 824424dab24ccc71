import type { Caller } from '../../caller.ts'
import type { IssuanceView } from '../../contract/issuance/issuances.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { recoverTxCode } from '../offers/tx-code.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { getIssuance } from './get-issuance.ts'
import { findIssuanceOrigin } from './issuance-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory' | 'log'>

/**
 * Returns an issuance with its transaction code, for the repetition of the request that created it.
 *
 * @throws Fault `resource.unknown` if it was never created
 */
export async function rereadIssuance(needs: Needs, caller: Caller, id: string): Promise<IssuanceView> {
  const { tenantId } = caller
  const made = await needs.store.single(tenantId, (tx) => findIssuanceOrigin(tx, id))
  if (made === null) throw new Fault('resource.unknown')
  const shown = await getIssuance(needs, caller, id)
  const { definition } = await templateVersion(needs, tenantId, made.templateId, made.templateVersion)
  const txCode = await recoverTxCode(needs.sealing, tenantId, id, definition, made.txCodeMac)
  return txCode === null ? shown : { ...shown, txCode }
}
