/**
 * The grammar of template attributes for the API reference; `attribute-reading.ts` validates them, with better messages
 * than a schema has.
 */

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const text = (maxLength: number, description: string) => ({ type: 'string', minLength: 1, maxLength, description })

const boolean = (description: string) => ({ type: 'boolean', description })

const common = {
  name: text(200, 'Name shown to people.'),
  description: text(1000, 'What it means.'),
  required: boolean('Whether each credential has it; false by default.'),
}

function attribute(name: string, types: readonly string[], more: object): object {
  return {
    $id: name,
    type: 'object',
    required: ['type'],
    additionalProperties: false,
    properties: {
      type: { enum: types, description: 'Type of the value.' },
      ...common,
      ...more,
      properties: byName(reference(name), 'Members of an object; without them any object is valid.'),
      items: { ...reference(name), description: 'Elements of an array; without it any array is valid.' },
    },
  }
}

const byName = (attribute: object, description: string) => ({
  type: 'object',
  minProperties: 1,
  propertyNames: { minLength: 1, maxLength: 128 },
  additionalProperties: attribute,
  description,
})

const inSdJwt = attribute('CredentialAttribute', ['string', 'number', 'boolean', 'date', 'object', 'array'], {
  alwaysDisclosed: boolean(
    'Disclosed with every presentation, instead of when the holder selects it. By default true for the elements of ' +
      'an array that are neither objects nor arrays: with false most wallets disclose the array without them.',
  ),
})

const inMdoc = attribute(
  'MdocAttribute',
  ['string', 'number', 'boolean', 'date', 'tdate', 'bytes', 'object', 'array'],
  {},
)

/**
 * Attributes of a credential template: of an SD-JWT VC by claim name, of an mdoc by namespace and element identifier.
 */
export const attributeShapes = {
  examples: [{ family_name: { type: 'string', name: 'Family name', required: true }, grade: { type: 'number' } }],
  anyOf: [
    byName(inSdJwt, 'SD-JWT VC: by claim name.'),
    byName(byName(inMdoc, 'By element identifier.'), 'mdoc: by namespace.'),
  ],
}
