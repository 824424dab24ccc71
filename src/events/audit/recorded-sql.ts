import { type Sql, sql, type TenantTx } from '../../store/store.ts'
import { type AuditEntry, columnsOf } from './entry.ts'

const INSERT = `insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, acting_client, action, event_type, subject_kind, subject_id,
    result, ip, request_id, detail, notified_user)`

const insertEntry = sql(
  'events.insert_audit_entry',
  `${INSERT} values (:tenantId, :entryId, :at, :actorKind, :actorId, :actingClient, :action, :eventType, :subjectKind, :subjectId,
    :result, :ip, :requestId, :detail, :notifiedUser)`,
)

/** A statement with its values that records an entry. */
type AuditStep = { readonly statement: Sql; readonly values: Readonly<Record<string, unknown>> }

/**
 * Returns the statement that records an entry, to send after the statement of the change (`tx.rows`) and the decision that it was made. Its plain
 * values cost a distributed engine a fraction of the CTE.
 */
export function auditStep({ tenantId }: Pick<TenantTx, 'tenantId'>, entry: AuditEntry, now: Date): AuditStep {
  const columns = columnsOf(entry, now)
  return {
    statement: insertEntry,
    values: {
      tenantId,
      entryId: columns.id,
      at: columns.at,
      actorKind: columns.actor_kind,
      actorId: columns.actor_id,
      actingClient: columns.acting_client,
      action: columns.action,
      eventType: columns.event_type,
      subjectKind: columns.subject_kind,
      subjectId: columns.subject_id,
      result: columns.result,
      ip: columns.ip,
      requestId: columns.request_id,
      detail: JSON.stringify(columns.detail),
      notifiedUser: columns.notified_user ?? null,
    },
  }
}

/**
 * Defines the statement that records an entry where `source`, a FROM item and its condition, has a row: at most one. Its values are those of
 * {@link auditStep} and those that `source` names.
 */
export function auditWhere(name: string, source: string): Sql {
  return sql(
    name,
    `${INSERT} select :tenantId::uuid, :entryId::uuid, :at::timestamptz, :actorKind::text, :actorId::text, :actingClient::text,
      :action::text, :eventType::text, :subjectKind::text, :subjectId::text, :result::text, :ip::text, :requestId::text,
      :detail::jsonb, :notifiedUser::text from ${source} returning id`,
  )
}

type Place = {
  /** CTE of the same statement that returns the changed row: no row, no entry. At most one row, because an entry has one id. */
  readonly from: string
  /** SQL for the id of the subject, e.g. `ins.id`. It is used when `subject.id` is null. */
  readonly subjectId?: string
  /**
   * Number of the parameter for the entry, whose value comes from {@link auditValues}. Absent in a statement with named parameters: it is
   * `:entry`, whose value comes from {@link auditValue}.
   */
  readonly first?: number
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
  return `audited as (${insertAudit(subject, `${from} cross join `, parameterOf(first))})`
}

function parameterOf(first: number | undefined): string {
  return first === undefined ? ':entry' : `$${first}`
}

/** Returns the value of the parameter of {@link auditCte}, to spread after the statement's own values. */
export function auditValues(entry: AuditEntry, now: Date): [string] {
  return [auditValue(entry, now)]
}

/** Returns the value of the named parameter of {@link auditCte}. */
export function auditValue(entry: AuditEntry, now: Date): string {
  return JSON.stringify(columnsOf(entry, now))
}

/** Returns an INSERT of one entry from a JSON parameter. `source` is a FROM item and join, e.g. `spent cross join `. */
export function insertAudit(subject: string, source: string, parameter: string): string {
  return `${INSERT}
  select ${columnsWith(subject, 'entry.detail')}
  from ${source}jsonb_populate_record(null::audit_entry, ${parameter}::jsonb) as entry
  returning id`
}

function columnsWith(subject: string, detail: string): string {
  return `current_tenant(), entry.id, entry.at, entry.actor_kind, entry.actor_id, entry.acting_client, entry.action, entry.event_type,
    entry.subject_kind, ${subject}, entry.result, entry.ip, entry.request_id, ${detail}, entry.notified_user`
}
