import type { NameSource } from '../../../events/audit/names.ts'
import type { AuditEvent } from '../../../events/counts/metric.ts'
import type { TenantTx } from '../../../store/store.ts'
import { listPresentationTemplateNames, listTemplatesOfRequests, NAMES } from './origin-store.ts'

/** Names of presentation templates; presentation requests are named after their template. */
export const requestNames: NameSource = { select: NAMES }

/** Returns the template ids of the presentation requests among the subjects of events, by request id. */
export async function templatesOfRequests(
  tx: TenantTx,
  events: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  const ids = events.flatMap(({ subjectKind, subjectId }) =>
    subjectKind === 'presentation_request' ? (subjectId ?? []) : [],
  )
  return ids.length === 0 ? new Map() : listTemplatesOfRequests(tx, [...new Set(ids)])
}

/** Returns the names of presentation templates by id. */
export async function namesOfPresentationTemplates(
  tx: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : listPresentationTemplateNames(tx, ids)
}
