import type { TenantId } from '../../caller.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { CredentialTemplate, CredentialTemplateFormat } from '../templates/template.ts'

/** A type published by a tenant of the deployment; only data of its public metadata. */
export type PublishedType = {
  readonly id: string
  /** The `vct`, or the document type of an mdoc. */
  readonly type: string
  readonly format: CredentialTemplateFormat
  readonly name: string
  readonly description: string | null
  readonly issuerSlug: string
  readonly issuerName: string
}

/** Filters of the list of types. */
type PublishedTypeFilter = {
  readonly type?: string | undefined
  readonly format?: CredentialTemplateFormat | undefined
  /** Credential Issuer Identifier. */
  readonly issuer?: string | undefined
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined
}

/** SQL: the Credential Issuer Identifier. */
const ISSUER = `$1::text || issuer_slug`
/** SQL: types of tenants that asked to be listed, and those of the caller's own. */
const ROWS = 'current_type where (is_listed or tenant_id = $2)'
const TYPE = `coalesce(doc_type, ${ISSUER} || '/vct/' || code)`

const page = pagedList({
  name: 'issuance.list_published_types',
  select: `select id, ${TYPE} as type, format, name, description, issuer_slug as "issuerSlug", issuer_name as "issuerName"
    from ${ROWS}`,
  parameters: 2,
  id: 'id',
  sorts: { name: 'name' },
  rows: ROWS,
  filters: {
    type: (value) => `${TYPE} = ${value}`,
    format: (value) => `format = ${value}`,
    issuer: (value) => `${ISSUER} = ${value}`,
    name: (value) => `strpos(lower(name), lower(${value})) > 0`,
  },
})

// Where several templates have a document type, the newest names it.
const selectOwn = sql(
  'issuance.list_own_types',
  `select t.code, t.name, v.definition
   from credential_template t join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version
   where t.tenant_id = $1 and (t.code = any($2::text[]) or v.definition ->> 'docType' = any($3::text[]))
   order by t.archived_at is null, t.id`,
)

/** Returns the templates of the tenant with one of the codes, and those of mdocs with one of the document types. */
export async function listOwnTypes(
  tx: TenantTx,
  codes: readonly string[],
  docTypes: readonly string[],
): Promise<Pick<CredentialTemplate, 'code' | 'name' | 'definition'>[]> {
  return tx.rows(selectOwn, [tx.tenantId, codes, docTypes])
}

/**
 * Returns one page of the types of a tenant and of all listed ones, plus one row if there are more.
 *
 * @param issuers Prefix of every Credential Issuer Identifier of this deployment, before the slug.
 */
export async function listPublishedTypes(
  tx: AcrossTx,
  tenantId: TenantId,
  issuers: string,
  ask: PageRequest,
  filter: PublishedTypeFilter,
): Promise<PublishedType[]> {
  return page<PublishedType>(tx, ask, [issuers, tenantId], filter)
}
