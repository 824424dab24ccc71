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
 * Returns the statement that records an entry, to send after the statement of the change (`tx.rows`) and the decision
 * that it was made. Its plain values cost a distributed engine a fraction of the CTE.
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
 * Defines the statement that records an entry where `source`, a FROM item and its condition, has a row: at most one.
 * Its values are those of {@link auditStep} and those that `source` names.
 */
export function auditWhere(name: string, source: string): Sql {
  return sql(
    name,
    `${INSERT} select :tenantId::uuid, :entryId::uuid, :at::timestamptz, :actorKind::text, :actorId::text, :actingClient::text,
      :action::text, :eventType::text, :subjectKind::text, :subjectId::text, :result::text, :ip::text, :requestId::text,
      :detail::jsonb, :notifiedUser::text from ${source} returning id`,
  )
}

/**
 * Returns an INSERT of an entry for each row of `source`, a FROM item with at most one. For two statements that must be
 * one: the redemptions of an offer and of a code.
 *
 * @param parameter It has the entry, see {@link auditValue}.
 * @param subject SQL: the id of its subject.
 */
export function insertAudit(source: string, parameter: string, subject = 'entry.subject_id'): string {
  return `${INSERT}
  select current_tenant(), entry.id, entry.at, entry.actor_kind, entry.actor_id, entry.acting_client, entry.action,
    entry.event_type, entry.subject_kind, ${subject}, entry.result, entry.ip, entry.request_id, entry.detail,
    entry.notified_user
  from ${source} cross join jsonb_populate_record(null::audit_entry, ${parameter}::jsonb) as entry
  returning id`
}

/** Returns the value of the parameter of {@link insertAudit}. */
export function auditValue(entry: AuditEntry, now: Date): string {
  return JSON.stringify(columnsOf(entry, now))
}
