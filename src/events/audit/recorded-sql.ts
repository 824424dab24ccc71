import { type Sql, type Step, sql, type TenantTx } from '../../store/store.ts'
import { type AuditEntry, columnsOf } from './entry.ts'

const INSERT = `insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, acting_client, action, event_type, subject_kind, subject_id,
    result, ip, request_id, detail, notified_user)`

const insertEntry = sql(
  'events.insert_audit_entry',
  `${INSERT} values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
)

/**
 * Returns the statement that records an entry, to send after the statement of the change (`tx.rows`) and the decision that it was made. Its plain
 * values cost a distributed engine a fraction of the CTE.
 */
export function auditStep({ tenantId }: Pick<TenantTx, 'tenantId'>, entry: AuditEntry, now: Date): Step {
  const { actor_kind, actor_id, acting_client, action, event_type, subject_kind, subject_id, ...more } = columnsOf(
    entry,
    now,
  )
  const actor = [actor_kind, actor_id, acting_client]
  const subject = [subject_kind, subject_id]
  const rest = [more.result, more.ip, more.request_id, JSON.stringify(more.detail), more.notified_user]
  return {
    statement: insertEntry,
    values: [tenantId, more.id, more.at, ...actor, action, event_type, ...subject, ...rest],
  }
}

/**
 * Defines the statement that records an entry where `source`, a FROM item and its condition, has a row: at most one. Its values are those of
 * {@link auditStep}, then more from $16 on.
 */
export function auditWhere(name: string, source: string): Sql {
  return sql(
    name,
    `${INSERT} select $1::uuid, $2::uuid, $3::timestamptz, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
      $11::text, $12::text, $13::text, $14::jsonb, $15::text from ${source} returning id`,
  )
}

type Place = {
  /** CTE of the same statement that returns the changed row: no row, no entry. At most one row, because an entry has one id. */
  readonly from: string
  /** SQL for the id of the subject, e.g. `ins.id`. It is used when `subject.id` is null. */
  readonly subjectId?: string
  /** Number of the parameter for the entry; its value comes from {@link auditValues}. */
  readonly first: number
}

/**
 * Returns a CTE that inserts the audit entry in the same statement as the change, for use cases of one statement:
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

/** Returns the value of the parameter of {@link auditCte}, to spread after the statement's own values. */
export function auditValues(entry: AuditEntry, now: Date): [string] {
  return [JSON.stringify(columnsOf(entry, now))]
}

/**
 * As {@link auditCte} for a change of many rows. Each row has its own entry, matched by its subject.
 *
 * @param detail SQL for a JSON object about the row, which is merged into the detail of the entry.
 */
export function auditEachCte({
  from,
  subjectId,
  detail,
  first,
}: Required<Place> & { readonly detail: string }): string {
  return `audited as (${INSERT}
  select ${columnsWith('entry.subject_id', `entry.detail || ${detail}`)}
  from ${from} join jsonb_populate_recordset(null::audit_entry, $${first}::jsonb) as entry on entry.subject_id = (${subjectId})::text
  returning id)`
}

/** Returns the value of the parameter of {@link auditEachCte}. */
export function auditEachValues(entries: readonly AuditEntry[], now: Date): [string] {
  return [JSON.stringify(entries.map((one) => columnsOf(one, now)))]
}

/** Returns an INSERT of one entry from a JSON parameter. `source` is a FROM item and join, e.g. `spent cross join `. */
export function insertAudit(subject: string, source: string, parameter: number): string {
  return `${INSERT}
  select ${columnsWith(subject, 'entry.detail')}
  from ${source}jsonb_populate_record(null::audit_entry, $${parameter}::jsonb) as entry
  returning id`
}

function columnsWith(subject: string, detail: string): string {
  return `current_tenant(), entry.id, entry.at, entry.actor_kind, entry.actor_id, entry.acting_client, entry.action, entry.event_type,
    entry.subject_kind, ${subject}, entry.result, entry.ip, entry.request_id, ${detail}, entry.notified_user`
}
