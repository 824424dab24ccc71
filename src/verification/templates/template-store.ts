import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { Fault } from '../../fault.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { PresentationTemplate, TemplateContent } from './presentation-template.ts'

const columns = `id, name, description, credentials, verifier_config as "verifierConfig", retention_seconds as "retentionSeconds",
  created_at as "createdAt", updated_at as "updatedAt"`

const insertTemplate = sql(
  'verification.insert_template',
  `insert into presentation_template (tenant_id, id, name, description, credentials, verifier_config, retention_seconds,
     created_at, updated_at)
   values (:tenantId, :id, :name, :description, :credentials::json, :verifierConfig::json, :retentionSeconds, :now,
     :now)
   returning ${columns}`,
)

const replaceTemplate = sql(
  'verification.replace_template',
  `update presentation_template
   set name = :name, description = :description, credentials = :credentials::json,
     verifier_config = :verifierConfig::json, retention_seconds = :retentionSeconds,
     updated_at = greatest(:now, ((updated_at at time zone 'UTC') + interval '1 millisecond') at time zone 'UTC')
   where tenant_id = :tenantId and id = :id and archived_at is null
     and updated_at = coalesce(:from::timestamptz, updated_at)
   returning ${columns}`,
)

const archiveTemplate = sql(
  'verification.archive_template',
  `update presentation_template set archived_at = $3, updated_at = $3
   where tenant_id = $1 and id = $2 and archived_at is null
   returning ${columns}`,
)

const findTemplate = sql(
  'verification.find_template',
  `select ${columns} from presentation_template where tenant_id = $1 and id = $2 and archived_at is null`,
)

const page = pagedList({
  name: 'verification.templates',
  select: `select ${columns} from presentation_template where tenant_id = $1 and archived_at is null`,
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'presentation_template where tenant_id = $1',
  filters: {
    name: (value) => `strpos(lower(name), lower(${value})) > 0`,
    type: (value) => `exists (select from json_array_elements(credentials) as one where one ->> 'type' = ${value})`,
  },
})

/** Inserts a template and its audit entry. */
export async function insertTemplateRow(
  tx: TenantTx,
  id: string,
  content: TemplateContent,
  entry: AuditEntry,
  now: Date,
): Promise<PresentationTemplate> {
  const values = contentValues(tx, id, content, now)
  return only((await tx.rows<PresentationTemplate>(insertTemplate, values, [auditStep(tx, entry, now)]))[0])
}

/**
 * Replaces the content of a template. `updatedAt` increases with every replacement, also with two in one millisecond.
 *
 * @param from `updatedAt` of the state to replace; null: every state.
 * @returns null if the template does not exist, is archived or was changed since `from`
 */
export async function replaceTemplateRow(
  tx: TenantTx,
  id: string,
  content: TemplateContent,
  from: Date | null,
  entry: AuditEntry,
  now: Date,
): Promise<PresentationTemplate | null> {
  const values = { ...contentValues(tx, id, content, now), from }
  return recordChange<PresentationTemplate>(tx, replaceTemplate, values, entry, now)
}

/** Archives a template. @throws Fault `resource.unknown` */
export async function archiveTemplateRow(
  tx: TenantTx,
  id: string,
  entry: AuditEntry,
  now: Date,
): Promise<PresentationTemplate> {
  return only(await recordChange<PresentationTemplate>(tx, archiveTemplate, [tx.tenantId, id, now], entry, now))
}

/** Returns a template. @throws Fault `resource.unknown` if it does not exist or is archived */
export async function getPresentationTemplate(tx: TenantTx, id: string): Promise<PresentationTemplate> {
  return only((await tx.rows<PresentationTemplate>(findTemplate, [tx.tenantId, id]))[0])
}

/**
 * Returns a page of templates, and one row more if there is a next page. `name`: a part of the name, case-insensitive;
 * `type`: of one of its credentials.
 */
export async function listPresentationTemplates(
  tx: TenantTx,
  list: PageRequest,
  filter: { readonly name?: string | undefined; readonly type?: string | undefined },
): Promise<PresentationTemplate[]> {
  return page<PresentationTemplate>(tx, list, [tx.tenantId], filter)
}

function contentValues(tx: TenantTx, id: string, content: TemplateContent, now: Date) {
  const { name, description, credentials, verifierConfig, retentionSeconds } = content
  return {
    tenantId: tx.tenantId,
    id,
    name,
    description,
    credentials: JSON.stringify(credentials),
    verifierConfig: verifierConfig === null ? null : JSON.stringify(verifierConfig),
    retentionSeconds,
    now,
  }
}

function only(row: PresentationTemplate | null | undefined): PresentationTemplate {
  if (row === null || row === undefined) throw unknownPresentationTemplate()
  return row
}

/** The fault for a template that does not exist or is archived. */
export function unknownPresentationTemplate(): Fault {
  return new Fault('resource.unknown', { detail: 'There is no such presentation template.' })
}
