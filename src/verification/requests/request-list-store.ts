import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import type { RequestStatus } from './presentation-request.ts'
import { type RequestRow, requestColumns } from './request-store.ts'

/** The filters of a list of requests; an absent one matches every request. */
export type RequestFilter = {
  readonly presentationTemplateId?: string | undefined
  readonly reference?: string | undefined
  readonly status?: RequestStatus | undefined
  /** ISO 8601. */
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
}

// Few rows: a response is checked, and a request past its end expired, within a minute.
const those = (which: string) => `array(select r.id from presentation_request r where r.tenant_id = $1 and ${which})`
const statusIs: Readonly<Record<RequestStatus, string>> = {
  requested: `(status = 'requested' and expires_at > $2) or id = any(${those("r.status = 'answering'")})`,
  verified: `status = 'verified'`,
  rejected: `status = 'rejected'`,
  failed: `status = 'failed'`,
  expired: `status = 'expired' or id = any(${those("r.status = 'requested' and r.expires_at <= $2")})`,
}

const page = pagedList({
  name: 'verification.requests',
  select: `select ${requestColumns('$2')} from presentation_request where tenant_id = $1`,
  parameters: 2,
  id: 'id',
  filters: {
    presentationTemplateId: (value) => `template_id = ${value}`,
    reference: (value) => `reference = ${value}`,
    status: statusIs,
    // An id carries the time of created_at.
    firstId: (value) => `id >= ${value}`,
    lastId: (value) => `id < ${value}`,
  },
  indexed: [['reference'], ['presentationTemplateId']],
  ids: ['firstId', 'lastId'],
})

/** Returns a page of requests, and one row more if there is a next page. */
export async function listPresentationRequests(
  tx: TenantTx,
  list: PageRequest,
  { createdAfter, createdBefore, ...filter }: RequestFilter,
  now: Date,
): Promise<RequestRow[]> {
  const firstId = createdAfter && lowestIdAt(new Date(createdAfter))
  const lastId = createdBefore && lowestIdAt(new Date(createdBefore))
  return page<RequestRow>(tx, list, [tx.tenantId, now], { ...filter, firstId, lastId })
}
