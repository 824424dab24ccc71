import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { Detail } from './entry.ts'
import { isFrequent, RARE } from './frequent-actions.ts'

/** An entry of the audit trail. */
export type AuditRow = {
  readonly id: string
  readonly at: Date
  readonly actorKind: 'user' | 'client' | 'system' | 'wallet' | 'verifier' | 'issuer'
  readonly actorId: string | null
  readonly actingClient: string | null
  readonly action: string
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly result: 'done' | 'refused'
  readonly ip: string | null
  readonly requestId: string | null
  readonly detail: Detail
}

/** Filters of the list; undefined: no filter. Times are ISO 8601. */
export type AuditFilter = {
  readonly actor?: string | undefined
  /** One action, or several separated by commas. */
  readonly action?: string | undefined
  /** One subject, or several separated by commas. */
  readonly subject?: string | undefined
  readonly result?: 'done' | 'refused' | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
}

const find = sql('events.find_audit_entry', 'select from audit_entry where tenant_id = $1 and id = $2')
const page = pagedList({
  name: 'events.list_audit',
  isPlannedOnce: true,
  select: `select id, at, actor_kind as "actorKind", actor_id as "actorId", acting_client as "actingClient", action,
    subject_kind as "subjectKind", subject_id as "subjectId", result, ip, request_id as "requestId", detail
    from audit_entry where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: {
    actor: (value) => `actor_id = ${value}`,
    action: (value) => `action = ${value}`,
    rareAction: (value) => `action = ${value} and ${RARE}`,
    actions: (value) => `action = any(${value}::text[])`,
    rareActions: (value) => `action = any(${value}::text[]) and ${RARE}`,
    subject: (value) => `subject_id = ${value}`,
    subjects: (value) => `subject_id = any(${value}::text[])`,
    result: { done: `result = 'done'`, refused: `result = 'refused'` },
    // The id and the time of an entry differ by at most a second, so the list is read along the ids.
    firstId: (value) => `id >= ${value}`,
    lastId: (value) => `id < ${value}`,
    createdAfter: (value) => `at >= ${value}`,
    createdBefore: (value) => `at < ${value}`,
  },
  indexed: [['subject'], ['subjects'], ['rareAction'], ['rareActions'], ['actor']],
  ids: ['firstId', 'lastId'],
  // One client records nearly all entries, others few.
  plannedByValue: ['actor'],
})
const ID_SKEW_MS = 2000

/** Returns whether there is an entry with this id. */
export async function hasAuditRow(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(find, [tx.tenantId, id])).length === 1
}

/** Returns one page of entries by time, and one row more if there is a next page. */
export async function listAuditRows(
  tx: TenantTx,
  ask: PageRequest,
  { action, subject, ...filter }: AuditFilter,
): Promise<AuditRow[]> {
  const { createdAfter, createdBefore } = filter
  const ids = {
    firstId: createdAfter && lowestIdAt(new Date(Date.parse(createdAfter) - ID_SKEW_MS)),
    lastId: createdBefore && lowestIdAt(new Date(Date.parse(createdBefore) + ID_SKEW_MS)),
  }
  return page<AuditRow>(tx, ask, [tx.tenantId], { ...filter, ...subjectsIn(subject), ...actionsIn(action), ...ids })
}

function subjectsIn(text: string | undefined) {
  return text?.includes(',') ? { subjects: text.split(',') } : { subject: text }
}

/** The index of rare actions serves a filter that names no frequent one. */
function actionsIn(text: string | undefined) {
  const [only, ...others] = text?.split(',') ?? []
  if (only === undefined) return {}
  const actions = [only, ...others]
  if (others.length === 0) return isFrequent(only) ? { action: only } : { rareAction: only }
  return actions.some(isFrequent) ? { actions } : { rareActions: actions }
}
