import type { ReplyOf } from '../../../contract/api-operation.ts'
import type { credentialTemplates } from '../../../contract/issuance/credential-templates.ts'
import { isJsonObject, type JsonObject } from '../../../crypto/json.ts'

/** One attribute in the grammar of a template. */
export type AttributeShape = JsonObject & {
  readonly type?: string
  readonly name?: string
  readonly names?: Readonly<Record<string, string>>
  readonly description?: string
  readonly required?: boolean
  readonly alwaysDisclosed?: boolean
  readonly properties?: JsonObject
  readonly items?: JsonObject
}

/** A span from the moment of issuing. */
export type Span = { readonly future: Readonly<Partial<Record<'days' | 'months' | 'years', number>>> }

/** A credential template, as the API returns it. */
export type Template = ReplyOf<typeof credentialTemplates.get>

/** An attribute with its place: `namespace` for an mdoc only. */
export type PlacedAttribute = { readonly namespace: string; readonly key: string; readonly shape: AttributeShape }

/** Returns the attributes in their order, those of an mdoc with their namespaces. */
export function attributesOf({
  format,
  attributes,
}: Pick<Template, 'format' | 'attributes'>): readonly PlacedAttribute[] {
  const placed = (namespace: string, shapes: JsonObject): PlacedAttribute[] =>
    // The API accepted the grammar.
    Object.entries(shapes).map(([key, shape]) => ({ namespace, key, shape: (shape ?? {}) as AttributeShape }))
  if (format !== 'mdoc') return placed('', attributes)
  // Of an mdoc each member is a namespace.
  return Object.entries(attributes).flatMap(([namespace, shapes]) => placed(namespace, shapes as JsonObject))
}

/** Returns what an attribute is called on screen. */
export function labelOf({ key, shape }: Pick<PlacedAttribute, 'key' | 'shape'>): string {
  return typeof shape.name === 'string' && shape.name !== '' ? shape.name : key.replaceAll('_', ' ')
}

/** A value that has no parts of its own. */
type Leaf = {
  /** Of an mdoc with its namespace; null: each entry of a list. */
  readonly path: readonly (string | null)[]
  /** With what it is part of. */
  readonly label: string
  readonly shape: AttributeShape
  /** It is there in every credential. */
  readonly isRequired: boolean
}

/** The parts of an attribute, and the steps to where they are; null: it has none. */
type PartsOf = (shape: AttributeShape) => { readonly parts: JsonObject; readonly steps: readonly null[] } | null

/** Returns the members of an object. */
export function objectParts({ type, properties }: AttributeShape): ReturnType<PartsOf> {
  return type === 'object' && isJsonObject(properties ?? null) ? { parts: properties ?? {}, steps: [] } : null
}

/** Returns the values of a credential in their order: attributes, or what is in them. */
export function leavesOf(
  template: Pick<Template, 'format' | 'attributes'>,
  partsOf: PartsOf = objectParts,
): readonly Leaf[] {
  const below = (leaf: Leaf): readonly Leaf[] => {
    const found = partsOf(leaf.shape)
    if (found === null) return [leaf]
    return Object.entries(found.parts).flatMap(([key, part]) => {
      // The API accepted the grammar.
      const shape = (part ?? {}) as AttributeShape
      const label = `${leaf.label}: ${labelOf({ key, shape })}`
      const path = [...leaf.path, ...found.steps, key]
      return below({ path, label, shape, isRequired: leaf.isRequired && shape.required === true })
    })
  }
  return attributesOf(template).flatMap(({ namespace, key, shape }) => {
    const path = namespace === '' ? [key] : [namespace, key]
    return below({ path, label: labelOf({ key, shape }), shape, isRequired: shape.required === true })
  })
}
