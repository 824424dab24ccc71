import { type Static, Type } from 'typebox'
import { type ListRequest, listQuery } from '../../api/list.ts'
import { type Caller, holds } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { type AuditFilter, type AuditRow, hasAuditRow, listAuditRows } from './audit-store.ts'
import { type FindNames, idsInDetail, type Names, namedIn, OTHER_NAMES, SUBJECT_NAME } from './names.ts'
import { auditActions } from './vocabulary.ts'

const text = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description })
const time = Type.String({ format: 'date-time' })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const ANY_ACTION = Object.keys(auditActions)
  .map((one) => one.replaceAll('.', '\\.'))
  .join('|')

/** The query of the audit trail. */
export const AuditListQuery = listQuery({
  filters: {
    actor: text('The id of the user or client that acted.'),
    action: Type.String({
      pattern: `^(${ANY_ACTION})(,(${ANY_ACTION}))*$`,
      maxLength: 1000,
      description: 'The action, e.g. `credential.revoked`, or several separated by commas.',
      documentedAs: { type: 'array', minItems: 1, items: { enum: Object.keys(auditActions) } },
    }),
    subject: text(
      'The id of the subject, or several separated by commas, such as those of an issuance and its credential.',
    ),
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
        name: Type.Optional(
          Type.String({ description: 'The username, or the name of the client, as it is now; see `subject.name`.' }),
        ),
      },
      { additionalProperties: false },
    ),
    action: Type.String(),
    subject: Type.Object(
      {
        kind: Type.String(),
        id: orNull(Type.String()),
        name: Type.Optional(Type.String({ description: SUBJECT_NAME })),
      },
      { additionalProperties: false },
    ),
    result: Type.Enum(['done', 'refused']),
    ip: orNull(Type.String()),
    requestId: orNull(Type.String({ description: 'The id of the request, as in the log.' })),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Ids, counts and states, never a claim.' }),
    names: Type.Optional(Type.Record(Type.String(), Type.String(), { description: OTHER_NAMES })),
  },
  { additionalProperties: false, $id: 'AuditEntry' },
)
type AuditEntryReply = Static<typeof AuditEntryReply>

/** An entry with the names of its ids. */
type NamedRow = AuditRow & { readonly names: Names }

/**
 * Returns one page of the audit trail with names, two statements, and one row more if there is a next page.
 *
 * @throws Fault `request.invalid`
 */
export async function listAudit(
  { store }: Pick<Platform, 'store'>,
  caller: Caller,
  list: ListRequest,
  filter: AuditFilter,
  findNames: FindNames,
): Promise<NamedRow[]> {
  const cursor = list.after ?? list.before
  return store.inTenant(caller.tenantId, async (tx) => {
    if (cursor !== null && !(await hasAuditRow(tx, cursor))) {
      const parameter = list.after === null ? 'page[before]' : 'page[after]'
      throw new Fault('request.invalid', {
        violations: [{ detail: 'There is no audit entry with this id.', parameter }],
      })
    }
    const rows = await listAuditRows(tx, list, filter)
    const names = await findNames(tx, rows.flatMap(idsOf), (scope) => holds(caller, scope))
    return rows.map((row) => ({ ...row, names }))
  })
}

function idsOf({ actorKind, actorId, actingClient, subjectKind, subjectId, detail }: AuditRow) {
  const known = [
    { kind: actorKind, id: actorId },
    { kind: 'client', id: actingClient },
    { kind: subjectKind, id: subjectId },
  ]
  return [...known.flatMap(({ kind, id }) => (id === null ? [] : [{ kind, id }])), ...idsInDetail(detail)]
}

/** Returns an audit entry in the form of {@link AuditEntryReply}. */
export function showAuditEntry({ names, ...row }: NamedRow): AuditEntryReply {
  const actorName = names.of(row.actorKind, row.actorId)
  const subjectName = names.of(row.subjectKind, row.subjectId)
  const acting = row.actingClient === null ? [] : [{ kind: 'client', id: row.actingClient }]
  const others = namedIn(names, [...acting, ...idsInDetail(row.detail)])
  return {
    ...{ id: row.id, createdAt: row.at.toISOString(), action: row.action, result: row.result },
    ...{ ip: row.ip, requestId: row.requestId, detail: { ...row.detail } },
    actor: {
      ...{ kind: row.actorKind, id: row.actorId, actingClientId: row.actingClient },
      ...(actorName !== null && { name: actorName }),
    },
    subject: { kind: row.subjectKind, id: row.subjectId, ...(subjectName !== null && { name: subjectName }) },
    ...(others && { names: others }),
  }
}
