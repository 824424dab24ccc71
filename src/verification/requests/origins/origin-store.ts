import { sql, type TenantTx } from '../../../store/store.ts'

const selectOrigins = sql(
  'verification.list_request_templates',
  'select id, template_id as "templateId" from presentation_request where tenant_id = $1 and id = any($2::uuid[])',
)
const selectNames = sql(
  'verification.list_template_names',
  'select id, name from presentation_template where tenant_id = $1 and id = any($2::uuid[])',
)

/** SELECT of the names of presentation templates, and of requests by their template: see `NameSource`. */
export const NAMES = `select 'presentation_template' as kind, id::text as id, name from presentation_template
where tenant_id = $1 and id = any($2::uuid[])
union all
select 'presentation_request', r.id::text, t.name from presentation_request r
  join presentation_template t on t.tenant_id = $1 and t.id = r.template_id where r.tenant_id = $1 and r.id = any($2::uuid[])`

/** Returns the template id of each request, by request id. */
export async function listTemplatesOfRequests(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; templateId: string }>(selectOrigins, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.templateId]))
}

/** Returns the names of templates, including archived ones, by id. */
export async function listPresentationTemplateNames(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; name: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.name]))
}
