import { type PageAsk, pagedList } from '../store/paged-list.ts'
import type { TenantTx } from '../store/store.ts'
import type { Issuance, IssuanceStatus } from './issuance.ts'
import { issuanceStatuses } from './issuance-schemas.ts'
import { columns, type IssuanceRow, issuanceOf } from './issuance-store.ts'

/** What a page of issuances is narrowed to; what is left out lets everything through. */
export type IssuanceFilter = {
  readonly templateId?: string | undefined
  readonly status?: IssuanceStatus | undefined
  readonly reference?: string | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

// Offers whose time is over are few, since a sweep expires them: as ids, so that each kind is found by its own index.
const overIds = `array(select o.id from issuance o
  where o.tenant_id = $1 and o.status = 'offered' and o.sealed_claims is not null and o.forget_at <= $2)`
const statusIs = {
  ...Object.fromEntries(issuanceStatuses.map((status) => [status, `status = '${status}'`])),
  offered: `status = 'offered' and forget_at > $2`,
  expired: `status = 'expired' or id = any(${overIds})`,
}

const page = pagedList({
  name: 'issuance.list',
  select: `select ${columns('$2')} from issuance where tenant_id = $1`,
  parameters: 2,
  id: 'id',
  sorts: { byTime: 'created_at' },
  rows: 'issuance where tenant_id = $1',
  filters: {
    templateId: (value) => `template_id = ${value}`,
    status: statusIs,
    reference: (value) => `reference = ${value}`,
    createdAfter: (value) => `created_at >= ${value}`,
    createdBefore: (value) => `created_at < ${value}`,
  },
})

/** One page of issuances, newest first unless told, and one row more if there are more. */
export async function listIssuances(
  tx: TenantTx,
  ask: PageAsk,
  filter: IssuanceFilter,
  now: Date,
): Promise<Issuance[]> {
  // Between two times they are read in the order of time, where the index of it begins at the right place.
  const isBetween = filter.createdAfter !== undefined || filter.createdBefore !== undefined
  const ordered = isBetween ? { ...ask, sort: { field: 'byTime' } } : ask
  return (await page<IssuanceRow>(tx, ordered, [tx.tenantId, now], filter)).map(issuanceOf)
}
