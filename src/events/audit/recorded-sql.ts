import { type AuditEntry, columnsOf } from './entry.ts'

const INSERT = `insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, acting_client, action, event_type, subject_kind, subject_id,
    result, ip, request_id, detail)`

type Place = {
  /** CTE of the same statement that yields the changed row: no row, no entry. At most one row, since an entry has one id. */
  readonly from: string
  /** SQL for the id of the subject, e.g. `ins.id`. It stands in for a `subject.id` of null. */
  readonly subjectId?: string
  /** Number of the parameter that carries the entry; the value comes from {@link auditValues}. */
  readonly first: number
}

/**
 * The text of a CTE that writes the audit entry in the same statement as the change, for hot single-statement use cases:
 *
 *     with spent as (update … returning id),
 *          ${auditCte({ from: 'spent', subjectId: 'spent.id', first: 3 })}
 *     select id from spent
 *
 * It takes one parameter.
 */
export function auditCte({ from, subjectId, first }: Place): string {
  const subject = subjectId === undefined ? 'entry.subject_id' : `coalesce(entry.subject_id, (${subjectId})::text)`
  return `audited as (${insertAudit(subject, `${from} cross join `, first)})`
}

/** The value for the parameter that {@link auditCte} named, ready to spread behind the statement's own. */
export function auditValues(entry: AuditEntry, now: Date): [string] {
  return [JSON.stringify(columnsOf(entry, now))]
}

/**
 * As {@link auditCte} for a change of many rows, each with an entry of its own: that whose subject it is.
 *
 * @param detail SQL for a JSON object that is added to what the entry says, about the row.
 */
export function auditEachCte({
  from,
  subjectId,
  detail,
  first,
}: Required<Place> & { readonly detail: string }): string {
  return `audited as (${INSERT}
  select ${columnsWith('entry.subject_id', `entry.detail || ${detail}`)}
  from ${from} join jsonb_populate_recordset(null::audit_entry, $${first}::jsonb) as entry on entry.subject_id = (${subjectId})::text)`
}

/** The value for the parameter that {@link auditEachCte} named. */
export function auditEachValues(entries: readonly AuditEntry[], now: Date): [string] {
  return [JSON.stringify(entries.map((one) => columnsOf(one, now)))]
}

/** INSERT of one entry out of a JSON parameter. `source` is what it is joined to, e.g. a CTE. */
export function insertAudit(subject: string, source: string, parameter: number): string {
  return `${INSERT}
  select ${columnsWith(subject, 'entry.detail')}
  from ${source}jsonb_populate_record(null::audit_entry, $${parameter}::jsonb) as entry`
}

function columnsWith(subject: string, detail: string): string {
  return `current_tenant(), entry.id, entry.at, entry.actor_kind, entry.actor_id, entry.acting_client, entry.action, entry.event_type,
    entry.subject_kind, ${subject}, entry.result, entry.ip, entry.request_id, ${detail}`
}
