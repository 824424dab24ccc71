import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { CredentialTemplate, TemplateDefinition } from './template.ts'

type Row = {
  id: string
  code: string
  name: string
  version: number
  definition: TemplateDefinition
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

const columns = `t.id, t.code, t.name, t.version, v.definition, t.created_at, t.updated_at, t.archived_at`
const joined = `credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version`
/** Each change of a template is a change of the catalog, in the same statement. */
const grown = (from: string) =>
  `grown as (insert into template_catalog (tenant_id, version) select $1, 1 from ${from}
     on conflict (tenant_id) do update set version = template_catalog.version + 1)`

const insertTemplate = sql(
  'issuance.template.insert',
  `with ins as (
     insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at) values ($1, $2, $3, $4, 1, $6, $6)
     on conflict (tenant_id, code) do nothing returning id
   ), defined as (
     insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
     select $1, id, 1, $5::json, $6 from ins
   ), ${grown('ins')}, ${auditCte({ from: 'ins', first: 7 })}
   select id from ins`,
)
const replaceTemplate = sql(
  'issuance.template.replace',
  `with upd as (
     update credential_template set name = $3, version = version + 1, updated_at = $5
     where tenant_id = $1 and id = $2 and version = $7 and archived_at is null returning id, version, created_at
   ), defined as (
     insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
     select $1, id, version, $4::json, $5 from upd
   ), ${grown('upd')}, ${auditCte({ from: 'upd', first: 6 })}
   select version, created_at from upd`,
)
const archiveTemplate = sql(
  'issuance.template.archive',
  `with upd as (
     update credential_template set archived_at = $3, updated_at = $3
     where tenant_id = $1 and id = $2 and archived_at is null returning id
   ), ${grown('upd')}, ${auditCte({ from: 'upd', first: 4 })}
   select id from upd`,
)
const selectTemplate = sql(
  'issuance.template.find',
  `select ${columns} from ${joined} where t.tenant_id = $1 and t.id = $2`,
)
const selectVersion = sql(
  'issuance.template.version',
  `select t.id, t.code, t.name, v.version, v.definition, t.created_at, v.created_at as updated_at, t.archived_at
   from credential_template t join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id
   where t.tenant_id = $1 and t.id = $2 and v.version = $3`,
)
const selectByCode = sql(
  'issuance.template.by_code',
  `select ${columns} from ${joined} where t.tenant_id = $1 and t.code = $2`,
)
const page = pagedList({
  name: 'issuance.templates',
  select: `select ${columns} from ${joined} where t.tenant_id = $1`,
  parameters: 1,
  id: 't.id',
  sorts: { name: 't.name' },
  rows: 'credential_template t where t.tenant_id = $1',
  filters: {
    archived: { true: 't.archived_at is not null', false: 't.archived_at is null' },
    name: (value) => `strpos(lower(t.name), lower(${value})) > 0`,
  },
})
const selectOffered = sql(
  'issuance.template.offered',
  `select ${columns} from ${joined}
   where t.tenant_id = $1 and (t.archived_at is null or exists (
     select from issuance i where i.tenant_id = $1 and i.template_id = t.id and i.status = 'offered' and i.sealed_claims is not null
       and coalesce(i.token_expires_at, i.expires_at) > $2))
   order by t.id`,
)
const selectCatalog = sql('issuance.catalog.version', 'select version from template_catalog where tenant_id = $1')
const selectBatchMax = sql(
  'issuance.template.batch_max',
  `select coalesce(max((v.definition ->> 'batchSize')::int), 1) as size from ${joined} where t.tenant_id = $1`,
)

/** A new template. @returns false if the code is taken, also by an archived one. */
export async function insertFirst(tx: TenantTx, template: CredentialTemplate, entry: AuditEntry): Promise<boolean> {
  const { id, code, name, definition, createdAt } = template
  const values = [tx.tenantId, id, code, name, JSON.stringify(definition), createdAt, ...auditValues(entry, createdAt)]
  return (await tx.rows(insertTemplate, values)).length === 1
}

/** The next version of a template that was read as `template.version`. @returns null if somebody else replaced or archived it meanwhile. */
export async function insertNext(
  tx: TenantTx,
  template: CredentialTemplate,
  entry: AuditEntry,
): Promise<CredentialTemplate | null> {
  const { id, name, definition, updatedAt, version } = template
  const audit = auditValues(entry, updatedAt)
  const values = [tx.tenantId, id, name, JSON.stringify(definition), updatedAt, ...audit, version]
  const [row] = await tx.rows<{ version: number; created_at: Date }>(replaceTemplate, values)
  return row === undefined ? null : { ...template, version: row.version, createdAt: row.created_at }
}

/** Archives a template. @returns false if it is unknown or archived already. */
export async function setArchived(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return (await tx.rows(archiveTemplate, [tx.tenantId, id, now, ...auditValues(entry, now)])).length === 1
}

/** The current version of a template, archived or not. */
export async function findCurrent(tx: TenantTx, id: string): Promise<CredentialTemplate | null> {
  return one(await tx.rows<Row>(selectTemplate, [tx.tenantId, id]))
}

/** The version of a template that an issuance was made from. */
export async function findVersion(tx: TenantTx, id: string, version: number): Promise<CredentialTemplate | null> {
  return one(await tx.rows<Row>(selectVersion, [tx.tenantId, id, version]))
}

/** As {@link findCurrent}, by the name in the type. */
export async function findByCode(tx: TenantTx, code: string): Promise<CredentialTemplate | null> {
  return one(await tx.rows<Row>(selectByCode, [tx.tenantId, code]))
}

/** One page of templates, one row more than asked for if there are more. */
export async function listCredentialTemplates(
  tx: TenantTx,
  ask: PageRequest,
  filter: { readonly archived: 'true' | 'false'; readonly name?: string | undefined },
): Promise<CredentialTemplate[]> {
  return (await page<Row>(tx, ask, [tx.tenantId], filter)).map(templateOf)
}

/** What the issuer metadata lists: the active templates, and archived ones while an offer of theirs is open. */
export async function listOffered(tx: TenantTx, now: Date): Promise<CredentialTemplate[]> {
  return (await tx.rows<Row>(selectOffered, [tx.tenantId, now])).map(templateOf)
}

/** Version of the tenant's templates as a whole; 0 if it never had one. */
export async function findCatalogVersion(tx: TenantTx): Promise<number> {
  const [row] = await tx.rows<{ version: number }>(selectCatalog, [tx.tenantId])
  return row?.version ?? 0
}

/** The largest batch that a template of the tenant allows: what the metadata says for all of them. */
export async function findBatchMax(tx: TenantTx): Promise<number> {
  const [row] = await tx.rows<{ size: number }>(selectBatchMax, [tx.tenantId])
  return row?.size ?? 1
}

function one(rows: readonly Row[]): CredentialTemplate | null {
  const [row] = rows
  return row === undefined ? null : templateOf(row)
}

function templateOf(row: Row): CredentialTemplate {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    version: row.version,
    definition: row.definition,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  }
}
