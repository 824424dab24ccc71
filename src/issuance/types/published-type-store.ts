import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import type { AcrossTx } from '../../store/store.ts'
import type { CredentialTemplateFormat } from '../templates/template.ts'

/** A type that some tenant of the deployment publishes. Nothing but what its public metadata says. */
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

/** What the types are narrowed to; what is left out lets everything through. */
export type PublishedTypeFilter = {
  readonly type?: string | undefined
  readonly format?: CredentialTemplateFormat | undefined
  /** Credential Issuer Identifier. */
  readonly issuer?: string | undefined
  /** Part of the name, whatever its case. */
  readonly name?: string | undefined
}

/** What $1 and the slug make: the Credential Issuer Identifier. */
const ISSUER = `$1::text || issuer_slug`
const TYPE = `coalesce(doc_type, ${ISSUER} || '/vct/' || code)`

const page = pagedList({
  name: 'issuance.list_published_types',
  select: `select id, ${TYPE} as type, format, name, description, issuer_slug as "issuerSlug", issuer_name as "issuerName"
    from published_type where true`,
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'published_type where true',
  filters: {
    type: (value) => `${TYPE} = ${value}`,
    format: (value) => `format = ${value}`,
    issuer: (value) => `${ISSUER} = ${value}`,
    name: (value) => `strpos(lower(name), lower(${value})) > 0`,
  },
})

/**
 * One page of the types of all tenants that want to be listed, and one row more if there are more.
 *
 * @param issuers What every Credential Issuer Identifier of this deployment begins with; its tenant's slug follows.
 */
export async function listPublishedTypes(
  tx: AcrossTx,
  issuers: string,
  ask: PageRequest,
  filter: PublishedTypeFilter,
): Promise<PublishedType[]> {
  return page<PublishedType>(tx, ask, [issuers], filter)
}
