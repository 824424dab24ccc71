import type { AuditEvent } from '../../events/counts/metric.ts'
import type { TenantTx } from '../../store/store.ts'
import { issuanceIdOf } from './credential-id.ts'
import { listCredentialTemplateNames, listTemplatesOfIssuances } from './origin-store.ts'

/** Returns the template of every issuance and credential in the events, by their ids. */
export async function templatesOfIssuances(
  tx: TenantTx,
  events: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  const issuances = idsOf(events, 'issuance')
  const credentials = idsOf(events, 'credential')
  if (issuances.length + credentials.length === 0) return new Map()
  const templates = await listTemplatesOfIssuances(tx, [...issuances, ...credentials.map(issuanceIdOf)])
  for (const id of credentials) {
    const templateId = templates.get(issuanceIdOf(id))
    if (templateId !== undefined) templates.set(id, templateId)
  }
  return templates
}

/** Returns the names of credential templates by their ids. */
export async function namesOfTemplates(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : listCredentialTemplateNames(tx, ids)
}

function idsOf(events: readonly AuditEvent[], kind: string): string[] {
  const ids = events.flatMap(({ subjectKind, subjectId }) => (subjectKind === kind ? (subjectId ?? []) : []))
  return [...new Set(ids)]
}
