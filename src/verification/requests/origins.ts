import type { AuditEvent } from '../../events/counts/metric.ts'
import type { TenantTx } from '../../store/store.ts'
import { listPresentationTemplateNames, listTemplatesOfRequests } from './origin-store.ts'

/** The template of every presentation request among the subjects, by their ids. */
export async function templatesOfRequests(
  tx: TenantTx,
  happenings: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  const ids = happenings.flatMap(({ subjectKind, subjectId }) =>
    subjectKind === 'presentation_request' ? (subjectId ?? []) : [],
  )
  return ids.length === 0 ? new Map() : listTemplatesOfRequests(tx, [...new Set(ids)])
}

/** The names of presentation templates by their ids. */
export async function namesOfPresentationTemplates(
  tx: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : listPresentationTemplateNames(tx, ids)
}
