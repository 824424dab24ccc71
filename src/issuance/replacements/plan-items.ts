import type { TenantId } from '../../caller.ts'
import type { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { PlannedReplacement } from '../issuances/replacement-port.ts'
import type { ReplacementScope } from './find-replaceables.ts'
import { planReplacements, type ReplacementAsk, replacedTwice } from './replace.ts'

/** What the items of a batch replace, by their index. */
type ItemPlans = {
  /**
   * Returns the plan of an item; null where it replaces nothing; the fault where it cannot, also because an item that
   * was taken replaces the same credential.
   */
  readonly find: (index: number) => PlannedReplacement | Fault | null
  /** Counts an item as one that is issued. */
  readonly take: (index: number) => void
}

/**
 * Plans what the items of a batch replace: the check and the run of a batch ask here, item by item in their order, so
 * that they find the same.
 */
export async function planItems(
  needs: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
  scope: ReplacementScope,
  items: readonly { readonly replaces?: ReplacementAsk | null | undefined }[],
): Promise<ItemPlans> {
  const asks = items.flatMap(({ replaces }, index) => (replaces ? [{ replaces, index }] : []))
  const found = await planReplacements(
    needs,
    tenantId,
    scope,
    asks.map(({ replaces }) => replaces),
  )
  const plans = new Map(asks.map(({ replaces, index }, at) => [index, { replaces, plan: found[at] }]))
  const taken = new Set<string>()
  return {
    find: (index) => {
      const { replaces, plan } = plans.get(index) ?? {}
      if (replaces === undefined || plan === undefined) return null
      return 'replaces' in plan && taken.has(plan.replaces.id) ? replacedTwice(replaces) : plan
    },
    take: (index) => {
      const plan = plans.get(index)?.plan
      if (plan !== undefined && 'replaces' in plan) taken.add(plan.replaces.id)
    },
  }
}
