import { dcqlLimits } from '../../protocols/dcql/query.ts'

/**
 * The grammar of requested attributes for the API reference; `attribute-grammar.ts` validates them, with better
 * messages than a schema has. Each kind has a name of its own: generators of clients follow a recursion through named
 * shapes only.
 */

const reference = { $ref: '#/components/schemas/RequestedAttribute' }

const byName = (entry: object) => ({
  type: 'object',
  propertyNames: { minLength: 1, maxLength: 256 },
  additionalProperties: entry,
})

const bound = (which: string) => ({
  type: ['number', 'string'],
  description: `${which} allowed value, inclusive: a number, or a full date where the type is date.`,
})

const values = {
  type: 'array',
  minItems: 1,
  maxItems: dcqlLimits.valuesMax,
  items: { type: ['string', 'integer', 'boolean'] },
  description: 'Part of the query: a wallet proposes only credentials with one of them.',
}

const closed = { type: 'object', additionalProperties: false }

const claim = {
  ...closed,
  $id: 'RequestedClaim',
  title: 'A claim',
  properties: {
    type: { enum: ['string', 'number', 'boolean', 'date'], description: 'The type that the value must have.' },
    value: { type: ['string', 'number', 'boolean'], description: 'The value that it must have.' },
    minimum: bound('Least'),
    maximum: bound('Greatest'),
    values,
  },
}

const nested = {
  ...closed,
  $id: 'RequestedClaims',
  title: 'Nested claims',
  required: ['properties'],
  properties: { type: { const: 'object' }, properties: { ...byName(reference), minProperties: 1 } },
}

const list = {
  ...closed,
  $id: 'RequestedElements',
  title: 'Elements of an array',
  required: ['items'],
  properties: {
    type: { const: 'array' },
    items: {
      anyOf: [
        { ...reference, description: 'Every element.' },
        {
          type: 'array',
          minItems: 1,
          maxItems: dcqlLimits.claimsMax,
          items: { anyOf: [reference, { type: 'null' }] },
          description: 'Elements by position; null for those that are not requested.',
        },
      ],
    },
  },
}

const nameSpace = {
  ...closed,
  $id: 'RequestedNameSpace',
  required: ['properties'],
  properties: {
    type: { const: 'object' },
    properties: byName({
      ...closed,
      properties: {
        intentToRetain: { type: 'boolean', description: 'Whether the verifier stores the value.' },
        values,
      },
    }),
  },
}

/** Attributes that a template requests: of an SD-JWT VC by claim name, of an mdoc by namespace. */
export const requestedAttributeShapes = {
  examples: [{ family_name: {}, grade: { type: 'number', minimum: 50 } }],
  anyOf: [
    {
      ...byName({ $id: 'RequestedAttribute', anyOf: [claim, nested, list] }),
      description: 'SD-JWT VC: by claim name.',
    },
    { ...byName(nameSpace), description: 'mdoc: by namespace.' },
  ],
}
