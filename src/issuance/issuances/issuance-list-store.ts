import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import type { Issuance, IssuanceStatus } from './issuance.ts'
import { CLAIMS_END, isOfferOver, issuanceColumns } from './issuance-store.ts'

/** Filters of the list of issuances. */
type IssuanceFilter = {
  readonly templateId?: string | undefined
  readonly status?: IssuanceStatus | undefined
  readonly reference?: string | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

// Few: a sweep expires ended offers. As ids, so that each part of the filter uses its own index.
const overIds = `array(select o.id from issuance o where o.tenant_id = $1 and o.sealed_claims is not null and ${isOfferOver('$2')})`
const statusIs = {
  // An open offer has claims, and rows with claims are in the index of the sweep.
  offered: `status = 'offered' and ${CLAIMS_END} > $2 and sealed_claims is not null`,
  // An issuance has one credential, so no row is in this state; the index finds none at once.
  partiallyIssued: `ended = 'partiallyIssued'`,
  completed: `status = 'completed'`,
  failed: `ended = 'failed'`,
  expired: `ended = 'expired' or id = any(${overIds})`,
  canceled: `ended = 'canceled'`,
} satisfies Record<IssuanceStatus, string>

const page = pagedList({
  name: 'issuance.list_issuances',
  select: `select ${issuanceColumns('$2')} from issuance where tenant_id = $1`,
  parameters: 2,
  id: 'id',
  filters: {
    templateId: (value) => `template_id = ${value}`,
    status: statusIs,
    reference: (value) => `reference = ${value}`,
    // An id carries the time of created_at.
    createdAfter: (value) => `id >= ${value}`,
    createdBefore: (value) => `id < ${value}`,
  },
})

/** Returns one page of issuances, newest first by default, plus one row if there are more. */
export async function listIssuances(
  tx: TenantTx,
  ask: PageRequest,
  { createdAfter, createdBefore, ...filter }: IssuanceFilter,
  now: Date,
): Promise<Issuance[]> {
  const range = {
    createdAfter: createdAfter && lowestIdAt(createdAfter),
    createdBefore: createdBefore && lowestIdAt(createdBefore),
  }
  return page<Issuance>(tx, ask, [tx.tenantId, now], { ...filter, ...range })
}
