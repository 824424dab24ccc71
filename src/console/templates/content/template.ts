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

/** How a card looks, and in which languages it is described. */
type TemplateDisplay = {
  readonly name?: string
  readonly description?: string
  readonly locale?: string
  readonly translations?: readonly { readonly locale: string; readonly name: string; readonly description?: string }[]
  readonly cardLine?: readonly string[]
  readonly logo?: { readonly uri: string; readonly altText?: string }
  readonly backgroundImage?: { readonly uri: string }
  readonly backgroundColor?: string
  readonly textColor?: string
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
  readonly validFrom?: string | Span
  readonly validUntil?: string | Span
  readonly batchSize?: number
  readonly txCode?: { readonly inputMode?: string; readonly length?: number; readonly description?: string }
  readonly offerScheme?: string
  readonly signer?: { readonly kind: string; readonly keyType?: string }
  readonly keyAttestation?: JsonObject
  readonly attributeSource?: JsonObject
  readonly approvalRequired?: boolean
  readonly refill?: { readonly days: number; readonly times?: number }
  /** Pointers of the attributes that name a credential in lists. */
  readonly label?: readonly string[]
  readonly display?: TemplateDisplay
  readonly type: string
  readonly createdAt?: string
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
