import { type Static, Type } from 'typebox'
import { type ListRequest, listQuery } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { type AuditFilter, type AuditRow, hasAuditRow, listAuditRows } from './audit-store.ts'
import { auditActions } from './vocabulary.ts'

const text = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description })
const time = Type.String({ format: 'date-time' })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** The query of the audit trail. */
export const AuditListQuery = listQuery({
  filters: {
    actor: text('The id of the user or client that acted.'),
    action: Type.Enum(Object.keys(auditActions), { description: 'The action, e.g. `credential.revoked`.' }),
    subject: text('The id of the subject.'),
    result: Type.Enum(['done', 'refused'], { description: 'Whether it was done or refused.' }),
    createdAfter: time,
    createdBefore: time,
  },
})

/** The reply schema of an audit entry. */
export const AuditEntryReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    createdAt: time,
    actor: Type.Object(
      {
        kind: Type.Enum(['user', 'client', 'system', 'wallet', 'verifier', 'issuer']),
        id: orNull(Type.String()),
        actingClientId: orNull(
          Type.String({ description: 'The client that acted for the user after a token exchange.' }),
        ),
      },
      { additionalProperties: false },
    ),
    action: Type.String(),
    subject: Type.Object({ kind: Type.String(), id: orNull(Type.String()) }, { additionalProperties: false }),
    result: Type.Enum(['done', 'refused']),
    ip: orNull(Type.String()),
    requestId: orNull(Type.String({ description: 'The id of the request, as in the log.' })),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Ids, counts and states, never a claim.' }),
  },
  { additionalProperties: false, $id: 'AuditEntry' },
)
type AuditEntryReply = Static<typeof AuditEntryReply>

/** Returns one page of the audit trail, and one row more if there is a next page. @throws Fault `request.invalid` */
export async function listAudit(
  { store }: Pick<Platform, 'store'>,
  { tenantId }: Caller,
  list: ListRequest,
  filter: AuditFilter,
): Promise<AuditRow[]> {
  const cursor = list.after ?? list.before
  return store.inTenant(tenantId, async (tx) => {
    if (cursor !== null && !(await hasAuditRow(tx, cursor))) {
      const parameter = list.after === null ? 'page[before]' : 'page[after]'
      throw new Fault('request.invalid', {
        violations: [{ detail: 'There is no audit entry with this id.', parameter }],
      })
    }
    return listAuditRows(tx, list, filter)
  })
}

/** Returns an audit entry in the form of {@link AuditEntryReply}. */
export function showAuditEntry(row: AuditRow): AuditEntryReply {
  return {
    ...{ id: row.id, createdAt: row.at.toISOString(), action: row.action, result: row.result },
    ...{ ip: row.ip, requestId: row.requestId, detail: { ...row.detail } },
    actor: { kind: row.actorKind, id: row.actorId, actingClientId: row.actingClient },
    subject: { kind: row.subjectKind, id: row.subjectId },
  }
}
