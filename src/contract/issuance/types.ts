import { Type } from 'typebox'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull } from '../shapes.ts'

const format = Type.Enum(['sd-jwt-vc', 'mdoc'])

const Url = (description: string) => Type.String({ format: 'uri', description })

/** A credential type that an organisation lists. */
export const TypeReply = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'For paging.' }),
    type: Type.String({ description: 'The VCT; of an mdoc the document type. For presentation templates.' }),
    format,
    name: Type.String(),
    description: orNull(Type.String()),
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

/** Credential types of all organisations that list theirs. */
export const credentialTypes = {
  list: operationGroup({ group: 'creds', tag: 'types', scope: null }).list('/types', {
    summary: 'Lists the credential types of the tenant, and of the organisations of this deployment that are listed.',
    query: ListQuery,
    reply: TypeReply,
  }),
} as const
