import type { TSchema } from 'typebox'
import { type Schemas, shapeOf } from './components.ts'
import { exampleOf } from './example.ts'

/** What a parameter of a path is, by its name, unless its schema says so. */
const pathTexts: Readonly<Record<string, string>> = {
  id: 'The id, as in the answer that created it and in its list.',
  deliveryId: 'The id of the delivery of an event to the endpoint.',
  externalIdentifier: 'The identifier of the user in the system of the tenant.',
  username: 'The username of the user.',
  clientId: 'The id of the client, with which it authenticates.',
  organisation: 'The slug of the organisation.',
  tenant: 'The slug of the tenant.',
  slug: 'The slug of the tenant.',
  code: 'The code of the credential template, the last part of its type.',
  token: 'The token in the link of the offer.',
  requestToken: 'The token in the link of the presentation request.',
  secret: 'The secret in the address of the link.',
  page: 'The id of the verification page.',
  request: 'The id of the presentation request.',
  list: 'The number of the status list.',
  digest: 'The SHA-256 of the content, as base64url.',
}

/** The parameters of a path, each with its description, schema and an example. */
export function pathParameters(path: string, schema: TSchema | undefined, schemas: Schemas): object[] {
  const properties = propertiesOf(schema)
  return [...path.matchAll(/\{([^{}*]+)\*?\}/g)].map(([, name = '']) => {
    const known = properties[name]
    const shape: Readonly<Record<string, unknown>> =
      known === undefined ? { type: 'string' } : { ...shapeOf(known, schemas) }
    const description = shape.description ?? pathTexts[name]
    return {
      in: 'path',
      name,
      required: true,
      ...(description === undefined ? {} : { description }),
      schema: shape,
      example: exampleOf(shape, schemas, name),
    }
  })
}

/** The parameters of a query, each with its description and an example. A list is sent with commas. */
export function queryParameters(schema: TSchema | undefined, schemas: Schemas): object[] {
  const required: readonly unknown[] = schema !== undefined && 'required' in schema ? [schema.required].flat() : []
  return Object.entries(propertiesOf(schema)).map(([name, one]) => {
    const { description, ...shape }: Readonly<Record<string, unknown>> = { ...shapeOf(one, schemas) }
    // A query is text; a choice of `true` and `false` is a boolean to its reader.
    const rest: Readonly<Record<string, unknown>> = isBoolean(shape.enum) ? { type: 'boolean' } : shape
    const isArray = rest.type === 'array'
    return {
      in: 'query',
      name,
      ...(description === undefined ? {} : { description }),
      ...(required.includes(name) && { required: true }),
      ...(isArray && { style: 'form', explode: false }),
      schema: rest,
      example: exampleOf(rest, schemas, /\[(\w+)\]$/.exec(name)?.[1] ?? name),
    }
  })
}

function isBoolean(values: unknown): boolean {
  return Array.isArray(values) && values.length === 2 && values.includes('true') && values.includes('false')
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  if (schema === undefined || !('properties' in schema)) return {}
  // A schema's properties are schemas.
  return schema.properties as Record<string, TSchema>
}
