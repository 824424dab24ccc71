import { type Static, Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Platform } from '../../platform.ts'
import { wellKnownUrl } from '../../protocols/openid4vci/well-known.ts'
import { listPublishedTypes, type PublishedType } from './published-type-store.ts'

const format = Type.Enum(['sd-jwt-vc', 'mdoc'])
const Url = (description: string) => Type.String({ format: 'uri', description })

const TypeReply = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'For paging.' }),
    type: Type.String({ description: 'The VCT; of an mdoc the document type. For presentation templates.' }),
    format,
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    issuer: Type.Object(
      {
        id: Url('Credential Issuer Identifier.'),
        name: Type.String({ description: 'Name of the organisation.' }),
        metadataUrl: Url('URL of its Credential Issuer Metadata.'),
      },
      { additionalProperties: false },
    ),
    metadataUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description: 'URL of the type metadata, which lists the claims. null: an mdoc has none.',
    }),
  },
  { additionalProperties: false, $id: 'PublishedType' },
)

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: {
    type: Type.String({ minLength: 1, maxLength: 512, description: 'VCT or document type.' }),
    format,
    issuer: Type.String({ minLength: 1, maxLength: 512, description: 'Credential Issuer Identifier.' }),
  },
})

// Public data, without a scope: type metadata and issuer metadata publish the same.
const list = routeGroup({ group: 'creds', tag: 'types', scope: null }).list('/types', {
  summary: 'Lists the credential types of the tenant, and of the organisations of this deployment that are listed.',
  query: ListQuery,
  reply: TypeReply,
  read: ({ platform: { store, urls }, caller: { tenantId } }, list, filters) =>
    store.across('types of all listed tenants', (tx) =>
      listPublishedTypes(tx, tenantId, urls.issuer(''), list, filters),
    ),
  show: (row, { platform }) => showType(platform.urls, row),
})

/** The types of the deployment that the caller may find, in our API. */
export const typeRoutes = [list]

function showType(urls: Platform['urls'], row: PublishedType): Static<typeof TypeReply> {
  const { id, type, name, description, issuerSlug, issuerName } = row
  const issuer = urls.issuer(issuerSlug)
  return {
    ...{ id, type, format: row.format, name, description },
    issuer: { id: issuer, name: issuerName, metadataUrl: wellKnownUrl(issuer, 'openid-credential-issuer') },
    metadataUrl: row.format === 'mdoc' ? null : type,
  }
}
