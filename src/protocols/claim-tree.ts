import { isJsonObject, type Json, type JsonObject } from '../crypto/json.ts'
import { pointerTo } from '../json-pointer.ts'
import { isFullDate } from './shape.ts'

/** A step to a value inside another one: the name of a member, the index of an element, or null for every element. */
type Step = string | number | null

/** The JSON type of a value; `date`: a string with a full-date. */
export type ValueType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array'

/** A description of an object by its `properties`, or of an array by its `items`. */
type Described<T> = { readonly properties?: { readonly [name: string]: T } | undefined; readonly items?: T | undefined }

/** Visits a node after those around it. @returns the context for the nodes inside; false: they are not visited */
type Visit<Node, S extends Step, Context> = (node: Node, path: readonly S[], context: Context) => Context | false

/** Walks the values inside a JSON value. */
export function walkValues<Context>(value: Json, context: Context, visit: Visit<Json, string | number, Context>): void {
  walk(valuesIn(value), valuesIn, visit, context)
}

/** Walks attributes by name, also those that have not been validated; null is the step to `items`. */
export function walkAttributes<T extends Json | object, Context>(
  properties: { readonly [name: string]: T },
  context: Context,
  visit: Visit<T, string | null, Context>,
): void {
  walk(attributesIn<T>({ properties }), attributesIn<T>, visit, context)
}

/** Returns the JSON pointer of an attribute. @param above That of the attribute around it, or of all. */
export function attributePointer(above: string, path: readonly (string | null)[]): string {
  const step = path.at(-1) ?? null
  if (step === null) return `${above}/items`
  return pointerTo(path.length === 1 ? above : `${above}/properties`, step)
}

/**
 * A value with its attribute. `free`: it is inside a value whose content no attribute describes. `unknown`: there is no
 * such attribute.
 */
type DescribedValue<T> = { readonly value: Json; readonly attribute: T | 'free' | 'unknown' }

/** Walks the values of an object, each with its attribute. */
export function walkDescribed<T extends Described<T>, Context>(
  properties: { readonly [name: string]: T },
  object: JsonObject,
  context: Context,
  visit: Visit<DescribedValue<T>, string | number, Context>,
): void {
  const inside = (value: Json, own: Described<T>) =>
    [...valuesIn(value)].map(([step, one]): readonly [string | number, DescribedValue<T>] => {
      if (typeof step === 'number') return [step, { value: one, attribute: own.items ?? 'free' }]
      const known = own.properties && Object.hasOwn(own.properties, step) ? own.properties[step] : undefined
      return [step, { value: one, attribute: known ?? (own.properties === undefined ? 'free' : 'unknown') }]
    })
  walk(
    inside(object, { properties }),
    ({ value, attribute }) => inside(value, typeof attribute === 'string' ? {} : attribute),
    visit,
    context,
  )
}

/** Returns the names of the required members that an object does not have. */
export function missingIn(
  properties: { readonly [name: string]: { readonly required?: boolean } } = {},
  object: JsonObject,
): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.required === true && !Object.hasOwn(object, name))
}

function walk<Node, S extends Step, Context>(
  children: Iterable<readonly [S, Node]>,
  inside: (node: Node) => Iterable<readonly [S, Node]>,
  visit: Visit<Node, S, Context>,
  context: Context,
  above: readonly S[] = [],
): void {
  for (const [step, node] of children) {
    const path = [...above, step]
    const inner = visit(node, path, context)
    if (inner !== false) walk(inside(node), inside, visit, inner, path)
  }
}

function valuesIn(value: Json): Iterable<readonly [string | number, Json]> {
  if (Array.isArray(value)) return value.entries()
  return isJsonObject(value) ? Object.entries(value) : []
}

function attributesIn<T>(attribute: unknown): (readonly [string | null, T])[] {
  if (!isJsonObject(attribute)) return []
  const { properties, items } = attribute
  const members = isJsonObject(properties) ? Object.entries(properties) : []
  // What is inside an attribute is of the same type, validated or not.
  return [...members, ...(isJsonObject(items) ? [[null, items] as const] : [])] as (readonly [string | null, T])[]
}

/** Returns a JSON pointer to the value at a path. */
export function pointerAlong(pointer: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(pointerTo, pointer)
}

/**
 * Returns a path in text form: `address.locality`, `nationalities[]`, `degrees[0].name`; of an mdoc
 * `namespace/element`.
 */
export function pathText(path: readonly Step[], isMdoc = false): string {
  // Namespaces contain dots.
  if (isMdoc) return path.join('/')
  return path.reduce<string>((text, step) => {
    if (step === null) return `${text}[]`
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}

/** Returns whether a value is of a type. */
export function isOfType(value: unknown, type: ValueType): boolean {
  if (type === 'date') return isFullDate(value)
  if (type === 'object') return isJsonObject(value)
  return type === 'array' ? Array.isArray(value) : typeof value === type
}
