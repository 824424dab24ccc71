import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { runSteps, type Sql, type Step, sql, type TenantTx } from '../../store/store.ts'
import type { CredentialTemplate } from './template.ts'

const times = `t.created_at as "createdAt", t.archived_at as "archivedAt"`
const columns = `t.id, t.code, t.name, t.version, v.definition, t.updated_at as "updatedAt", ${times}`
const joined = `credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version`

const insertTemplate = sql(
  'issuance.insert_template',
  `insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at)
   values ($1, $2, $3, $4, 1, $5, $5) on conflict (tenant_id, code) do nothing returning id`,
)
const insertVersion = sql(
  'issuance.insert_template_version',
  `insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
   values ($1, $2, $3, $4::json, $5)`,
)
// With each change of a template: processes cache the catalog by its version.
const growCatalog = sql(
  'issuance.increment_catalog',
  `insert into template_catalog (tenant_id, version) values ($1, 1)
   on conflict (tenant_id) do update set version = template_catalog.version + 1`,
)
const replaceTemplate = sql(
  'issuance.replace_template',
  `update credential_template set name = $3, version = version + 1, updated_at = $4
   where tenant_id = $1 and id = $2 and version = $5 and archived_at is null
   returning version, created_at as "createdAt"`,
)
const archiveTemplate = sql(
  'issuance.archive_template',
  `update credential_template set archived_at = $3, updated_at = $3
   where tenant_id = $1 and id = $2 and archived_at is null returning id`,
)
const restoreTemplate = sql(
  'issuance.restore_template',
  `update credential_template set archived_at = null, updated_at = $3
   where tenant_id = $1 and id = $2 and archived_at is not null returning id`,
)
const selectTemplate = sql(
  'issuance.get_template',
  `select ${columns} from ${joined} where t.tenant_id = $1 and t.id = $2`,
)
const selectVersion = sql(
  'issuance.get_template_version',
  `select t.id, t.code, t.name, v.version, v.definition, v.created_at as "updatedAt", ${times}
   from credential_template t join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id
   where t.tenant_id = $1 and t.id = $2 and v.version = $3`,
)
const selectByCode = sql(
  'issuance.get_template_by_code',
  `select ${columns} from ${joined} where t.tenant_id = $1 and t.code = $2`,
)
const selectByCodes = sql(
  'issuance.list_templates_by_code',
  `select ${columns} from ${joined} where t.tenant_id = $1 and t.code = any($2::text[])`,
)
const page = pagedList({
  name: 'issuance.list_templates',
  select: `select ${columns} from ${joined} where t.tenant_id = $1`,
  parameters: 1,
  id: 't.id',
  sorts: { name: 't.name' },
  rows: 'credential_template t where t.tenant_id = $1',
  filters: {
    archived: { true: 't.archived_at is not null', false: 't.archived_at is null' },
    // A document type, or a code, as `typeKeyOf` writes them.
    types: (value) => `coalesce('type ' || (v.definition ->> 'docType'), 'code ' || t.code) = any(${value}::text[])`,
    name: (value) => `strpos(lower(t.name), lower(${value})) > 0`,
  },
})
const selectOffered = sql(
  'issuance.list_offered_templates',
  `select ${columns} from ${joined}
   where t.tenant_id = $1 and (t.archived_at is null or exists (
     select from issuance i where i.tenant_id = $1 and i.template_id = t.id and i.status = 'offered' and i.sealed_claims is not null
       and coalesce(i.token_expires_at, i.expires_at) > $2))
   order by t.id`,
)
const selectCatalog = sql('issuance.get_catalog_version', 'select version from template_catalog where tenant_id = $1')
const selectBatchMax = sql(
  'issuance.get_batch_max',
  `select coalesce(max((v.definition ->> 'batchSize')::int), 1) as size from ${joined} where t.tenant_id = $1`,
)

/** Inserts a template. @returns false if another template, archived or not, has the code */
export async function insertFirst(tx: TenantTx, template: CredentialTemplate, entry: AuditEntry): Promise<boolean> {
  const { id, code, name, createdAt } = template
  const inserted = await tx.rows(insertTemplate, [tx.tenantId, id, code, name, createdAt])
  if (inserted.length === 0) return false
  await runSteps(tx, [versionStep(tx, { ...template, version: 1 }), ...changed(tx, entry, createdAt)])
  return true
}

/**
 * Inserts the next version of a template read at `template.version`.
 *
 * @returns null if it was replaced or archived concurrently
 */
export async function insertNext(
  tx: TenantTx,
  template: CredentialTemplate,
  entry: AuditEntry,
): Promise<CredentialTemplate | null> {
  const { id, name, updatedAt, version } = template
  const values = [tx.tenantId, id, name, updatedAt, version]
  const [row] = await tx.rows<Pick<CredentialTemplate, 'version' | 'createdAt'>>(replaceTemplate, values)
  if (row === undefined) return null
  const next = { ...template, ...row }
  await runSteps(tx, [versionStep(tx, next), ...changed(tx, entry, updatedAt)])
  return next
}

/** Archives a template. @returns false if it is unknown or already archived */
export async function setArchived(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return setActive(tx, archiveTemplate, id, entry, now)
}

/** Makes an archived template active. @returns false if it is unknown or not archived */
export async function setRestored(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return setActive(tx, restoreTemplate, id, entry, now)
}

async function setActive(tx: TenantTx, statement: Sql, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  if ((await tx.rows(statement, [tx.tenantId, id, now])).length === 0) return false
  await runSteps(tx, changed(tx, entry, now))
  return true
}

function versionStep({ tenantId }: TenantTx, template: CredentialTemplate): Step {
  const { id, version, definition, updatedAt } = template
  return { statement: insertVersion, values: [tenantId, id, version, JSON.stringify(definition), updatedAt] }
}

/** What belongs to each change of a template. */
function changed(tx: TenantTx, entry: AuditEntry, now: Date): Step[] {
  return [{ statement: growCatalog, values: [tx.tenantId] }, auditStep(tx, entry, now)]
}

/** Returns the current version of a template, archived or not. */
export async function findCurrent(tx: TenantTx, id: string): Promise<CredentialTemplate | null> {
  return (await tx.rows<CredentialTemplate>(selectTemplate, [tx.tenantId, id]))[0] ?? null
}

/** Returns one version of a template. */
export async function findVersion(tx: TenantTx, id: string, version: number): Promise<CredentialTemplate | null> {
  return (await tx.rows<CredentialTemplate>(selectVersion, [tx.tenantId, id, version]))[0] ?? null
}

/** As {@link findCurrent}, by its code. */
export async function findByCode(tx: TenantTx, code: string): Promise<CredentialTemplate | null> {
  return (await tx.rows<CredentialTemplate>(selectByCode, [tx.tenantId, code]))[0] ?? null
}

/** Returns the templates with these codes, archived or not. */
export async function findByCodes(tx: TenantTx, codes: readonly string[]): Promise<CredentialTemplate[]> {
  return tx.rows<CredentialTemplate>(selectByCodes, [tx.tenantId, codes])
}

/** Returns one page of templates, plus one row if there are more. */
export async function listCredentialTemplates(
  tx: TenantTx,
  ask: PageRequest,
  filter: {
    readonly archived: 'true' | 'false'
    readonly name?: string | undefined
    /** See `typeKeyOf`. */
    readonly types?: readonly string[] | undefined
  },
): Promise<CredentialTemplate[]> {
  return page<CredentialTemplate>(tx, ask, [tx.tenantId], filter)
}

/** Returns the templates of the issuer metadata: active ones, and archived ones with open offers. */
export async function listOffered(tx: TenantTx, now: Date): Promise<CredentialTemplate[]> {
  return tx.rows<CredentialTemplate>(selectOffered, [tx.tenantId, now])
}

/** Returns the version of the tenant's catalog; 0 if the tenant has no template. */
export async function findCatalogVersion(tx: TenantTx): Promise<number> {
  const [row] = await tx.rows<{ version: number }>(selectCatalog, [tx.tenantId])
  return row?.version ?? 0
}

/** Returns the largest batch size of the tenant's templates, which the metadata publishes for all of them. */
export async function findBatchMax(tx: TenantTx): Promise<number> {
  const [row] = await tx.rows<{ size: number }>(selectBatchMax, [tx.tenantId])
  return row?.size ?? 1
}
