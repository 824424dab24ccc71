import type { ReplyOf } from '../../../contract/api-operation.ts'
import type { credentialTemplates } from '../../../contract/issuance/credential-templates.ts'
import type { JsonObject } from '../../../crypto/json.ts'

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
