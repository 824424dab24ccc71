import type { NameSource } from '../../events/audit/names.ts'
import type { AuditEvent } from '../../events/counts/metric.ts'
import type { TenantTx } from '../../store/store.ts'
import { validityOf } from '../templates/validity.ts'
import { issuanceIdOf } from './credential-id.ts'
import {
  countNotable,
  listCredentialTemplateNames,
  listTemplatesOfIssuances,
  listValidities,
  NAMES,
  type NotableCounts,
} from './origin-store.ts'

/** Names of credential templates and batches; issuances and credentials are named after their template. */
export const issuanceNames: NameSource = { select: NAMES }

/** Returns the template of every issuance and credential in the events, by their ids. */
export async function templatesOfIssuances(
  tx: TenantTx,
  events: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  // Most events name it, so that few issuances are looked up.
  const templates = new Map(events.flatMap((one) => (one.subjectKind === 'issuance' ? namedTemplate(one) : [])))
  const issuances = idsOf(events, 'issuance')
  const credentials = idsOf(events, 'credential')
  const unnamed = [...issuances, ...credentials.map(issuanceIdOf)].filter((id) => !templates.has(id))
  const found = unnamed.length === 0 ? [] : await listTemplatesOfIssuances(tx, [...new Set(unnamed)])
  for (const [id, templateId] of found) templates.set(id, templateId)
  for (const id of credentials) {
    const templateId = templates.get(issuanceIdOf(id))
    if (templateId !== undefined) templates.set(id, templateId)
  }
  return templates
}

function namedTemplate({ subjectId, detail: { credentialTemplateId } }: AuditEvent): readonly [string, string][] {
  return subjectId !== null && typeof credentialTemplateId === 'string' ? [[subjectId, credentialTemplateId]] : []
}

/** Returns the names of credential templates by their ids. */
export async function namesOfTemplates(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : listCredentialTemplateNames(tx, ids)
}

/** Returns when the validity of each credential in the events ends, by the id of the subject; null: it has no end. */
export async function endsOfCredentials(
  tx: TenantTx,
  events: readonly AuditEvent[],
): Promise<ReadonlyMap<string, Date | null>> {
  const subjects = [...new Set(events.flatMap(({ subjectId }) => subjectId ?? []))]
  const issuances = new Map(idsOf(events, 'credential').map((id) => [id, issuanceIdOf(id)]))
  const rows = await listValidities(
    tx,
    subjects.map((id) => issuances.get(id) ?? id),
  )
  const ends = new Map(
    rows.map(({ id, issuedAt, validUntil }) => [
      id,
      validUntil === null ? null : (validityOf({ validUntil }, issuedAt).exp ?? null),
    ]),
  )
  return new Map(
    subjects.flatMap((id) => {
      const end = ends.get(issuances.get(id) ?? id)
      return end === undefined ? [] : [[id, end] as const]
    }),
  )
}

/** Counts the suspended credentials of a tenant, and those that wait for approval. */
export function notableIssuances(tx: TenantTx, now: Date): Promise<NotableCounts> {
  return countNotable(tx, now)
}

function idsOf(events: readonly AuditEvent[], kind: string): string[] {
  const ids = events.flatMap(({ subjectKind, subjectId }) => (subjectKind === kind ? (subjectId ?? []) : []))
  return [...new Set(ids)]
}
