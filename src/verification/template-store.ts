import type { Entry } from '../events/entry.ts'
import { auditCte, auditValues } from '../events/recorded-sql.ts'
import { Fault } from '../fault.ts'
import { type PageAsk, pagedList } from '../store/paged-list.ts'
import { sql, type TenantTx } from '../store/store.ts'
import type { PresentationTemplate, TemplateContent } from './presentation-template.ts'

const columns = 'id, name, description, credentials, verifier_config, retention_seconds, created_at, updated_at'

type Row = Pick<PresentationTemplate, 'id' | 'name' | 'description' | 'credentials'> & {
  readonly verifier_config: PresentationTemplate['verifierConfig']
  readonly retention_seconds: number | null
  readonly created_at: Date
  readonly updated_at: Date
}

const insertTemplate = sql(
  'verification.template-insert',
  `with ins as (
     insert into presentation_template (tenant_id, id, name, description, credentials, verifier_config, retention_seconds, created_at, updated_at)
     values ($1, $2, $3, $4, $5::json, $6::json, $7, $8, $8) returning ${columns}),
   ${auditCte({ from: 'ins', first: 9 })}
   select * from ins`,
)

const replaceTemplate = sql(
  'verification.template-replace',
  `with upd as (
     update presentation_template
     set name = $3, description = $4, credentials = $5::json, verifier_config = $6::json, retention_seconds = $7, updated_at = $8
     where tenant_id = $1 and id = $2 and archived_at is null returning ${columns}),
   ${auditCte({ from: 'upd', first: 9 })}
   select * from upd`,
)

const archiveTemplate = sql(
  'verification.template-archive',
  `with upd as (
     update presentation_template set archived_at = $3, updated_at = $3
     where tenant_id = $1 and id = $2 and archived_at is null returning ${columns}),
   ${auditCte({ from: 'upd', first: 4 })}
   select * from upd`,
)

const findTemplate = sql(
  'verification.template-find',
  `select ${columns} from presentation_template where tenant_id = $1 and id = $2 and archived_at is null`,
)

const page = pagedList({
  name: 'verification.templates',
  select: `select ${columns} from presentation_template where tenant_id = $1 and archived_at is null`,
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'presentation_template where tenant_id = $1',
  filters: {},
})

/** Adds a template and its audit entry. */
export async function insertPresentationTemplate(
  tx: TenantTx,
  id: string,
  content: TemplateContent,
  entry: Entry,
  now: Date,
): Promise<PresentationTemplate> {
  return toTemplate(await write(tx, insertTemplate, id, content, entry, now))
}

/**
 * Replaces all that a template says. Requests made before keep what they were made from.
 *
 * @throws Fault `resource.unknown` if it does not exist or is archived.
 */
export async function replacePresentationTemplate(
  tx: TenantTx,
  id: string,
  content: TemplateContent,
  entry: Entry,
  now: Date,
): Promise<PresentationTemplate> {
  return toTemplate(await write(tx, replaceTemplate, id, content, entry, now))
}

/** Archives a template: no more requests are made from it. @throws Fault `resource.unknown` */
export async function archivePresentationTemplate(
  tx: TenantTx,
  id: string,
  entry: Entry,
  now: Date,
): Promise<PresentationTemplate> {
  const [row] = await tx.rows<Row>(archiveTemplate, [tx.tenantId, id, now, ...auditValues(entry, now)])
  return toTemplate(row)
}

/** @throws Fault `resource.unknown` if it does not exist or is archived. */
export async function getPresentationTemplate(tx: TenantTx, id: string): Promise<PresentationTemplate> {
  const [row] = await tx.rows<Row>(findTemplate, [tx.tenantId, id])
  return toTemplate(row)
}

/** One page, and one row more if there is a next page. */
export async function listPresentationTemplates(tx: TenantTx, ask: PageAsk): Promise<PresentationTemplate[]> {
  return (await page<Row>(tx, ask, [tx.tenantId], {})).map(toTemplate)
}

async function write(
  tx: TenantTx,
  statement: typeof insertTemplate,
  id: string,
  content: TemplateContent,
  entry: Entry,
  now: Date,
): Promise<Row | undefined> {
  const { name, description, credentials, verifierConfig, retentionSeconds } = content
  const config = verifierConfig === null ? null : JSON.stringify(verifierConfig)
  const values = [tx.tenantId, id, name, description, JSON.stringify(credentials), config, retentionSeconds, now]
  const [row] = await tx.rows<Row>(statement, [...values, ...auditValues(entry, now)])
  return row
}

function toTemplate(row: Row | undefined): PresentationTemplate {
  if (row === undefined) throw new Fault('resource.unknown')
  const { verifier_config: verifierConfig, retention_seconds: retentionSeconds, ...rest } = row
  const { created_at: createdAt, updated_at: updatedAt, ...named } = rest
  return { ...named, verifierConfig, retentionSeconds, createdAt, updatedAt }
}
