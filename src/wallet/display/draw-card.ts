import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { KeptImage } from '../../protocols/image.ts'
import type { KeptSvg } from './display-store.ts'
import { fillSvgTemplate } from './svg-template.ts'

const VALUE_CHARS = 200
const VALUES_MAX = 20

/**
 * Returns the picture of a credential: its template with the values of its claims, each cut, without controls, and
 * escaped. [TM-4]
 */
export function drawCard({ template, claims }: KeptSvg, values: JsonObject): KeptImage | null {
  const texts = claims.map(({ id, path }) => [id, textOf(valuesAt(values, path))] as const)
  const bytes = fillSvgTemplate(template, new Map(texts))
  return bytes === null ? null : { mediaType: 'image/svg+xml', bytes }
}

function valuesAt(value: Json | undefined, path: readonly (string | number | null)[]): readonly Json[] {
  const [step, ...rest] = path
  if (step === undefined) return value === undefined ? [] : [value]
  if (step === null) return Array.isArray(value) ? value.slice(0, VALUES_MAX).flatMap((one) => valuesAt(one, rest)) : []
  if (typeof step === 'number') return Array.isArray(value) ? valuesAt(value[step], rest) : []
  return isJsonObject(value ?? null) && Object.hasOwn(value as JsonObject, step)
    ? valuesAt((value as JsonObject)[step], rest)
    : []
}

function textOf(values: readonly Json[]): string {
  const single = values.slice(0, VALUES_MAX).filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
  return foreignText(single.map(String).join(', '), VALUE_CHARS) ?? ''
}
