import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'

/** The schemas of the document by name. */
export type Schemas = Record<string, object>

const PREFIX = '#/components/schemas/'

/** Keyword for what a body or an answer may be instead of JSON, in the form of `content`. */
export const OTHER_CONTENT = 'x-other-content'

/**
 * Describes a body or an answer by media type. Where it is JSON, files, tokens and event streams that it may be instead
 * are told beside it: in a `content` with several types a generated client cannot know what it sends or got.
 */
export function contentBy(types: readonly (readonly [string, object])[]): object {
  if (types.length === 0) return {}
  const json = types.filter(([type]) => type === 'application/json')
  const others = types.filter(([type]) => type !== 'application/json')
  if (json.length === 0 || others.length === 0) return { content: Object.fromEntries(types) }
  return { content: Object.fromEntries(json), [OTHER_CONTENT]: Object.fromEntries(others) }
}

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
 * Returns the schema as JSON; schemas with an `$id` become components and are referenced. What `documentedAs` says
 * replaces the schema that validates, where that one is wider, or of the text of a query.
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

/** Says what values by name are in the way that generators of clients read: they know no `patternProperties`. */
function withPlainValues(shape: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { patternProperties, ...others } = shape
  const patterns = Object.entries(Object(patternProperties))
  const [first] = patterns
  if (first === undefined || patterns.length > 1 || 'properties' in shape) return shape
  const [pattern, additionalProperties] = first
  return { ...others, ...(pattern !== ANY_NAME && { propertyNames: { pattern } }), additionalProperties }
}
