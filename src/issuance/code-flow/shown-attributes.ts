import type { Language } from '../../contract/languages.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { claimNumber } from '../../pages/moment-text.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import type { ConsentTexts } from './texts.ts'

const ATTRIBUTES_MAX = 100
const ELEMENTS_MAX = 20
const TEXT_CHARS_MAX = 300
const DEPTH_MAX = 5

type Words = Pick<ConsentTexts, 'yes' | 'no' | 'none' | 'file' | 'more'> & { readonly language: Language }
type Described = {
  readonly name?: string
  readonly type: string
  readonly properties?: Readonly<Record<string, Described>>
}

/**
 * Returns the attributes of a credential in display order as names and values for a page: at most 100 of them, values
 * cut to 300 characters.
 *
 * @param claims null: the values are not known yet.
 */
export function shownAttributes(
  definition: TemplateDefinition,
  claims: JsonObject | null,
  words: Words,
): (readonly [name: string, value: string])[] {
  const all =
    definition.format === 'mdoc'
      ? Object.entries(definition.attributes).flatMap(([space, elements]) =>
          namesAndValues(elements, memberOf(claims ?? {}, space), words),
        )
      : namesAndValues(definition.attributes, claims, words)
  return all.slice(0, ATTRIBUTES_MAX)
}

function namesAndValues(
  attributes: Readonly<Record<string, Described>>,
  values: Json | undefined,
  words: Words,
): (readonly [string, string])[] {
  return Object.entries(attributes).map(([key, attribute]) => {
    const value = isJsonObject(values) ? memberOf(values, key) : undefined
    return [attribute.name ?? key, cut(textOf(value, attribute, words, 0))] as const
  })
}

function textOf(value: Json | undefined, attribute: Described | null, words: Words, depth: number): string {
  if (value === undefined || value === null) return words.none
  if (attribute?.type === 'bytes') return words.file
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'string') return value
  if (typeof value === 'number') return claimNumber(value, words.language)
  if (depth >= DEPTH_MAX) return '…'
  const parts = isJsonObject(value)
    ? Object.entries(value).map(([key, one]) => {
        const inner = attribute?.properties?.[key] ?? null
        return `${inner?.name ?? key}: ${textOf(one, inner, words, depth + 1)}`
      })
    : value.map((one: Json) => textOf(one, null, words, depth + 1))
  const shown = parts.slice(0, ELEMENTS_MAX).join(', ')
  return parts.length > ELEMENTS_MAX ? `${shown}, ${words.more(parts.length - ELEMENTS_MAX)}` : shown
}

function cut(text: string): string {
  return text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text
}
