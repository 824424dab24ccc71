import type { ListRequest } from '../../api/list.ts'
import { type Caller, holds } from '../../caller.ts'
import type { AuditEntryReply } from '../../contract/events/audit.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { type AuditFilter, type AuditRow, hasAuditRow, listAuditRows } from './audit-store.ts'
import { type FindNames, idsInDetail, type Names, namedIn } from './names.ts'

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
    id: row.id,
    createdAt: row.at.toISOString(),
    action: row.action,
    result: row.result,
    ip: row.ip,
    requestId: row.requestId,
    detail: { ...row.detail },
    actor: {
      kind: row.actorKind,
      id: row.actorId,
      actingClientId: row.actingClient,
      ...(actorName !== null && { name: actorName }),
    },
    subject: { kind: row.subjectKind, id: row.subjectId, ...(subjectName !== null && { name: subjectName }) },
    ...(others && { names: others }),
  }
}
