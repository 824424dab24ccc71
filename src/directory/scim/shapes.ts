import { type TSchema, Type } from 'typebox'
import { type Attribute, groupSchema, userSchema } from '../../protocols/scim/schema.ts'

const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

const described = { user: userSchema, group: groupSchema } as const
/** A kind of resource that is provisioned. */
export type ScimNoun = keyof typeof described

const examples = {
  user: {
    schemas: [userSchema.id],
    userName: 'thandi',
    name: { givenName: 'Thandi', familyName: 'Molefe' },
    emails: [{ value: 'thandi@example.org', type: 'work', primary: true }],
    active: true,
  },
  group: { schemas: [groupSchema.id], displayName: 'Registry', members: [] },
} as const

const ID = '01890000-0000-7000-8000-000000000000'
const schemas = Type.Array(Type.String(), { description: 'The schemas of the message, at `/Schemas` or of RFC 7644.' })
const Meta = Type.Object({
  resourceType: Type.String(),
  created: Type.Optional(Type.String({ format: 'date-time' })),
  lastModified: Type.Optional(Type.String({ format: 'date-time' })),
  location: Type.String(),
  version: Type.Optional(Type.String({ description: 'For `If-Match`.' })),
})
const always = { schemas, id: Type.String(), meta: Type.Optional(Meta) }

/** The shape of an attribute, as `/Schemas` describes it. */
function shapeOf({ type, multiValued, description, subAttributes = [] }: Attribute): TSchema {
  const about = multiValued ? {} : { description }
  const one =
    type === 'boolean'
      ? Type.Boolean(about)
      : type === 'complex'
        ? Type.Object(membersOf(subAttributes), about)
        : Type.Union([Type.String(), Type.Null()], about)
  return multiValued ? Type.Array(one, { description }) : one
}

function membersOf(attributes: readonly Attribute[]): Record<string, TSchema> {
  // Readers of the document take a member `$ref` for a reference.
  const named = attributes.filter(({ name }) => name !== '$ref')
  return Object.fromEntries(named.map((one) => [one.name, Type.Optional(shapeOf(one))]))
}

function resource(noun: ScimNoun, name: string) {
  const { attributes } = described[noun]
  const members = membersOf(attributes)
  const needed = attributes.filter(({ required }) => required)
  const texts = Object.fromEntries(needed.map((one) => [one.name, Type.String({ description: one.description })]))
  const example = examples[noun]
  const Reply = Type.Object({ ...always, ...members }, { $id: name, examples: [{ ...example, id: ID }] })
  return {
    Reply,
    Body: Type.Object(
      { schemas: Type.Optional(schemas), ...members, ...texts },
      { $id: `${name}Body`, examples: [example] },
    ),
    List: Type.Object(
      {
        schemas,
        totalResults: Type.Optional(Type.Integer({ description: 'Absent where too many match to be counted.' })),
        itemsPerPage: Type.Optional(Type.Integer()),
        startIndex: Type.Optional(Type.Integer()),
        nextCursor: Type.Optional(Type.String({ description: 'RFC 9865.' })),
        Resources: Type.Optional(Type.Array(Reply)),
      },
      { $id: `${name}List` },
    ),
  }
}

/**
 * Bodies and replies by resource, for the reference.
 *
 * @see [RFC 7643, 4](https://www.rfc-editor.org/rfc/rfc7643#section-4)
 */
export const resourceShapes = { user: resource('user', 'ScimUser'), group: resource('group', 'ScimGroup') } as const

/** Changes of a resource. @see [RFC 7644, 3.5.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2) */
export const PatchShape = Type.Object(
  {
    schemas: Type.Optional(schemas),
    Operations: Type.Array(
      Type.Object({
        op: Type.Enum(['add', 'replace', 'remove']),
        path: Type.Optional(Type.String({ description: 'The attribute; without it `value` has the attributes.' })),
        value: Type.Optional(Type.Unknown()),
      }),
    ),
  },
  {
    $id: 'ScimPatch',
    examples: [
      { schemas: [`${MESSAGES}:PatchOp`], Operations: [{ op: 'replace', path: 'displayName', value: 'Ada' }] },
    ],
  },
)

const names = Type.Array(Type.String())

/** A search. @see [RFC 7644, 3.4.3](https://www.rfc-editor.org/rfc/rfc7644#section-3.4.3) */
export const SearchShape = Type.Object(
  {
    schemas: Type.Optional(schemas),
    filter: Type.Optional(Type.String()),
    sortBy: Type.Optional(Type.String()),
    sortOrder: Type.Optional(Type.Enum(['ascending', 'descending'])),
    startIndex: Type.Optional(Type.Integer()),
    count: Type.Optional(Type.Integer()),
    cursor: Type.Optional(Type.String({ description: 'RFC 9865.' })),
    attributes: Type.Optional(names),
    excludedAttributes: Type.Optional(names),
  },
  { $id: 'ScimSearch', examples: [{ schemas: [`${MESSAGES}:SearchRequest`], filter: 'externalId eq "4711"' }] },
)

const operation = {
  method: Type.Enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  bulkId: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
}

/** Operations that are run in turn. @see [RFC 7644, 3.7](https://www.rfc-editor.org/rfc/rfc7644#section-3.7) */
export const BulkShape = Type.Object(
  {
    schemas: Type.Optional(schemas),
    failOnErrors: Type.Optional(Type.Integer()),
    Operations: Type.Array(
      Type.Object({
        ...operation,
        path: Type.String(),
        data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  },
  {
    $id: 'ScimBulk',
    examples: [
      {
        schemas: [`${MESSAGES}:BulkRequest`],
        Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: examples.user }],
      },
    ],
  },
)

/** What became of each operation. @see [RFC 7644, 3.7.3](https://www.rfc-editor.org/rfc/rfc7644#section-3.7.3) */
export const BulkReplyShape = Type.Object(
  {
    schemas,
    Operations: Type.Array(
      Type.Object({
        ...operation,
        location: Type.Optional(Type.String()),
        status: Type.String(),
        response: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  },
  { $id: 'ScimBulkReply' },
)
