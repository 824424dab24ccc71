import type { AuditEvent } from '../../events/counts/metric.ts'
import type { TenantTx } from '../../store/store.ts'
import { listCredentialTemplateNames, listTemplatesOfIssuances } from './origin-store.ts'

/** The template of every issuance and every credential that something happened to, by their ids. */
export async function templatesOfIssuances(
  tx: TenantTx,
  happenings: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  const issuances = idsOf(happenings, 'issuance')
  const credentials = idsOf(happenings, 'credential')
  if (issuances.length + credentials.length === 0) return new Map()
  return listTemplatesOfIssuances(tx, issuances, credentials)
}

/** The names of credential templates by their ids. */
export async function namesOfTemplates(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : listCredentialTemplateNames(tx, ids)
}

function idsOf(happenings: readonly AuditEvent[], kind: string): string[] {
  const ids = happenings.flatMap(({ subjectKind, subjectId }) => (subjectKind === kind ? (subjectId ?? []) : []))
  return [...new Set(ids)]
}
