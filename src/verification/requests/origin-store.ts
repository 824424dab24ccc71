import { sql, type TenantTx } from '../../store/store.ts'

const selectOrigins = sql(
  'verification.origins',
  'select id, template_id as "templateId" from presentation_request where tenant_id = $1 and id = any($2::uuid[])',
)
const selectNames = sql(
  'verification.template_names',
  'select id, name from presentation_template where tenant_id = $1 and id = any($2::uuid[])',
)

/** The template that each request was made from, by their ids. */
export async function listTemplatesOfRequests(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; templateId: string }>(selectOrigins, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.templateId]))
}

/** The names of templates, archived ones too, by their ids. */
export async function listPresentationTemplateNames(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; name: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.name]))
}
