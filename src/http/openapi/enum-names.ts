import { referenceTo, type Schemas } from './components.ts'
import { pascal, singular } from './words.ts'

type Shape = Readonly<Record<string, unknown>>
type Named = { readonly name: string; readonly schema: object }

/**
 * Makes each enumeration inside a named schema a named schema of its own, and refers to it wherever a member or a
 * parameter of the same name has the same values. The name is that of the shortest schema and member, one of a reply
 * before one of a body.
 *
 * @returns the document's `paths` and the like with references; `schemas` are replaced in place.
 */
export function nameEnums<T>(schemas: Schemas, rest: T): T {
  const names = new Map<string, Named>()
  const owners = Object.keys(schemas).toSorted((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
  for (const owner of owners) collect(schemas[owner], owner, '', names, schemas)
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = Object(replace(schema, '', names, true))
  const replaced = replace(rest, '', names)
  for (const { name, schema } of names.values()) schemas[name] = schema
  // References stand in the places of the enumerations; nothing else changed.
  return replaced as T
}

function rank(owner: string): number {
  return /(Body|Change|Meta)$/.test(owner) ? 1 : 0
}

function collect(value: unknown, path: string, member: string, names: Map<string, Named>, schemas: Schemas): void {
  if (typeof value !== 'object' || value === null) return
  const shape: Shape = { ...value }
  const { properties, items, anyOf, enum: values } = shape
  if (isNameable(values, member)) {
    const key = keyOf(member, values)
    const taken = new Set([...Object.keys(schemas), ...[...names.values()].map(({ name }) => name)])
    const name = taken.has(singular(path)) ? `${singular(path)}Value` : singular(path)
    if (!names.has(key)) names.set(key, { name, schema: { type: 'string', enum: values } })
  }
  for (const [name, one] of Object.entries(properties ?? {})) collect(one, path + pascal(name), name, names, schemas)
  collect(items, path, member, names, schemas)
  for (const one of valuesOf(shape)) collect(one, path, member, names, schemas)
  if (Array.isArray(anyOf)) for (const one of anyOf) collect(one, path, member, names, schemas)
}

/** The schemas of members that have no names of their own. */
function valuesOf({ additionalProperties, patternProperties }: Shape): unknown[] {
  return [additionalProperties, ...Object.values(patternProperties ?? {})]
}

function isNameable(values: unknown, member: string): values is readonly string[] {
  return Array.isArray(values) && values.length > 1 && member !== '' && values.every((one) => typeof one === 'string')
}

function keyOf(member: string, values: readonly string[]): string {
  return `${singular(member)} ${JSON.stringify(values)}`
}

/** @param isRoot A named schema itself is not replaced by its own reference. */
function replace(value: unknown, member: string, names: Map<string, Named>, isRoot = false): unknown {
  if (Array.isArray(value)) return value.map((one) => replace(one, member, names))
  if (typeof value !== 'object' || value === null) return value
  const { enum: values, description, default: fallback, name }: Shape = { ...value }
  const known = !isRoot && isNameable(values, member) ? names.get(keyOf(member, values)) : undefined
  if (known !== undefined) {
    return {
      ...referenceTo(known.name),
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback }),
    }
  }
  const parameter = 'in' in value && typeof name === 'string' ? memberOf(name) : null
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, replaceMember(key, one, parameter ?? member, names)]),
  )
}

function replaceMember(key: string, value: unknown, member: string, names: Map<string, Named>): unknown {
  if (key === 'example' || key === 'examples' || key === 'enum') return value
  if (key !== 'properties' || typeof value !== 'object' || value === null) return replace(value, member, names)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replace(one, name, names)]))
}

/** `filter[status]` is the member `status`. */
function memberOf(parameter: string): string {
  return /\[(\w+)\]$/.exec(parameter)?.[1] ?? parameter
}
