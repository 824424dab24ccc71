import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'

/** The schemas of the document by name. */
export type Schemas = Record<string, object>

const PREFIX = '#/components/schemas/'

/** Returns a reference to a schema of the document. */
export function referenceTo(name: string): { readonly $ref: string } {
  return { $ref: PREFIX + name }
}

/** Returns the schema that a reference names, or the schema itself. */
export function resolved(schema: unknown, schemas: Readonly<Schemas>): Readonly<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null) return {}
  if (!('$ref' in schema) || typeof schema.$ref !== 'string') return { ...schema }
  return { ...schemas[schema.$ref.slice(PREFIX.length)] }
}

/** Adds a schema under a name. Throws if another schema has it: a reader of the document would get the wrong one. */
export function addSchema(schemas: Schemas, name: string, schema: object): { readonly $ref: string } {
  const known = schemas[name]
  if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are named ${name}`)
  schemas[name] = schema
  return referenceTo(name)
}

/**
 * Returns the schema as JSON; schemas with an `$id` become components and are referenced. What `documentedAs` says replaces the schema that
 * validates, where that one is wider, or of the text of a query.
 */
export function shapeOf(schema: TSchema | object, schemas: Schemas): object {
  return hoist(JSON.parse(JSON.stringify(schema)), schemas) as object
}

function hoist(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((one) => hoist(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  if ('documentedAs' in value && typeof value.documentedAs === 'object') {
    const about = 'description' in value ? { description: value.description } : {}
    return { ...about, ...Object(hoist(value.documentedAs, schemas)) }
  }
  const plain = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hoist(one, schemas)]))
  const { $id, ...shape } = withPlainValues(plain)
  return typeof $id === 'string' ? addSchema(schemas, $id, shape) : shape
}

const ANY_NAME = '^.*$'

/** Says of values by name what they are in the way that generators of clients read: they know no `patternProperties`. */
function withPlainValues(shape: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { patternProperties, ...others } = shape
  const patterns = Object.entries(Object(patternProperties))
  const [first] = patterns
  if (first === undefined || patterns.length > 1 || 'properties' in shape) return shape
  const [pattern, additionalProperties] = first
  return { ...others, ...(pattern !== ANY_NAME && { propertyNames: { pattern } }), additionalProperties }
}
