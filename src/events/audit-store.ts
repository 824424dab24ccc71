import { type Sql, sql, type TenantTx } from '../store/store.ts'
import type { Detail } from './entry.ts'

/** A line of the audit trail. */
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

/** Which lines are wanted; null: all. The times are ISO 8601. */
export type AuditFilter = {
  readonly actor: string | null
  readonly action: string | null
  readonly subject: string | null
  readonly createdAfter: string | null
  readonly createdBefore: string | null
}

const findPlace = sql(
  'events.audit-place',
  'select at::text as at, id from audit_entry where tenant_id = $1 and id = $2',
)
const columns = `id, at, actor_kind as "actorKind", actor_id as "actorId", acting_client as "actingClient", action,
  subject_kind as "subjectKind", subject_id as "subjectId", result, ip, request_id as "requestId", detail`

const lists = new Map<string, Sql>()

/** A statement for each combination of filters, so that each is planned for the index that serves it. */
function listFor(isDescending: boolean, filter: AuditFilter): Sql {
  const { actor, action, subject, createdAfter, createdBefore } = filter
  const given = [actor, action, subject, createdAfter, createdBefore].map((one) => (one === null ? '0' : '1')).join('')
  const name = `events.audit-${isDescending ? 'down' : 'up'}-${given}`
  const known = lists.get(name)
  if (known !== undefined) return known
  const conditions = [
    `tenant_id = $1 and (at, id) ${isDescending ? '<' : '>'} ($2::timestamptz, $3::uuid)`,
    actor === null ? '$5::text is null' : 'actor_id = $5',
    action === null ? '$6::text is null' : 'action = $6',
    subject === null ? '$7::text is null' : 'subject_id = $7',
    createdAfter === null ? '$8::timestamptz is null' : 'at >= $8',
    createdBefore === null ? '$9::timestamptz is null' : 'at < $9',
  ]
  const order = isDescending ? 'at desc, id desc' : 'at, id'
  const made = sql(
    name,
    `select ${columns} from audit_entry where ${conditions.join(' and ')} order by ${order} limit $4`,
  )
  lists.set(name, made)
  return made
}

const FIRST = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
const LAST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** Where a line stands, with all digits of its time. */
export async function findAuditPlace(tx: TenantTx, id: string): Promise<{ at: string; id: string } | null> {
  return (await tx.rows<{ at: string; id: string }>(findPlace, [tx.tenantId, id]))[0] ?? null
}

/** Lines past a place, in the order of their times. */
export async function listAuditRows(
  tx: TenantTx,
  ask: { readonly from: { at: string; id: string } | null; readonly descending: boolean; readonly limit: number },
  filter: AuditFilter,
): Promise<AuditRow[]> {
  const { at, id } = ask.from ?? (ask.descending ? LAST : FIRST)
  const { actor, action, subject, createdAfter, createdBefore } = filter
  const values = [tx.tenantId, at, id, ask.limit, actor, action, subject, createdAfter, createdBefore]
  return tx.rows<AuditRow>(listFor(ask.descending, filter), values)
}
