import type { JsonObject } from '../../crypto/json.ts'

/** One attribute in the grammar of a template. Parts of an object or array are kept as they are. */
export type AttributeShape = JsonObject & {
  readonly type?: string
  readonly name?: string
  readonly required?: boolean
  readonly alwaysDisclosed?: boolean
}

/** A credential template, as the API returns it. */
export type Template = {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly code: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly docType?: string
  readonly revocable: boolean
  readonly attributes: Readonly<Record<string, JsonObject>>
  readonly validFrom?: unknown
  readonly validUntil?: string | { readonly future: Readonly<Record<string, number>> }
  readonly batchSize?: number
  readonly txCode?: JsonObject
  readonly signer?: JsonObject
  readonly keyAttestation?: JsonObject
  readonly display?: {
    readonly name?: string
    readonly description?: string
    readonly locale?: string
    readonly logo?: JsonObject
    readonly backgroundColor?: string
    readonly textColor?: string
  }
  readonly type: string
  readonly updatedAt: string
  readonly archivedAt: string | null
}

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
  return Object.entries(attributes).flatMap(([namespace, shapes]) => placed(namespace, shapes))
}

/** Returns what an attribute is called on screen. */
export function labelOf({ key, shape }: Pick<PlacedAttribute, 'key' | 'shape'>): string {
  return typeof shape.name === 'string' && shape.name !== '' ? shape.name : key.replaceAll('_', ' ')
}
