import { sql, type TenantTx } from '../../store/store.ts'

const selectOrigins = sql(
  'issuance.list_origins',
  'select id, template_id as "templateId" from issuance where tenant_id = $1 and id = any($2::uuid[])',
)
const selectNames = sql(
  'issuance.list_template_names',
  'select id, name from credential_template where tenant_id = $1 and id = any($2::uuid[])',
)

/** Returns the template of each issuance, by their ids. */
export async function listTemplatesOfIssuances(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; templateId: string }>(selectOrigins, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.templateId]))
}

/** Returns the names of templates, archived ones too, by their ids. */
export async function listCredentialTemplateNames(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; name: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.name]))
}
