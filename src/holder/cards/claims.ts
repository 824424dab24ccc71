import { isJsonObject, type Json, type JsonObject, readOwnJson } from '../../crypto/json.ts'
import { dateFormat } from '../../memory/formats.ts'
import type { Language } from '../../pages/language.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Display } from './api-types.ts'

const VALUE_CHARS = 300
const LINES_MAX = 300
const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/

/** A claim in words. */
type Line = { readonly path: string; readonly name: string; readonly value: string }

/** Words for values that are none. */
type ValueTexts = { readonly yes: string; readonly no: string; readonly data: (characters: number) => string }

/** Returns the name of a claim: that of its issuer, else the last steps of its path in words. */
export function nameOf(labels: Display['labels'], path: string): string {
  const exact = labels.find((one) => one.path === path)
  if (exact !== undefined) return exact.name
  // Written by our own API.
  const steps = readOwnJson(path) as (string | null)[]
  for (let length = steps.length - 1; length > 0; length -= 1) {
    const above = labels.find((one) => one.path === JSON.stringify(steps.slice(0, length)))
    if (above !== undefined) return [above.name, ...inWords(steps.slice(length))].join(' · ')
  }
  return inWords(steps.length > 1 && (steps[0] ?? '').includes('.') ? steps.slice(1) : steps).join(' · ')
}

function inWords(steps: readonly (string | null)[]): string[] {
  return steps.flatMap((step) => {
    const text = foreignText(step?.replaceAll(/[_-]+/g, ' '), 60)
    return text === null ? [] : text.charAt(0).toLocaleUpperCase() + text.slice(1)
  })
}

/** Returns a value as text: cut, without direction characters; dates in the language of the page. */
export function valueText(value: Json, language: Language, texts: ValueTexts): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return String(value)
  if (value === null) return '–'
  if (typeof value !== 'string')
    return valuesIn(value)
      .map((one) => valueText(one, language, texts))
      .slice(0, 20)
      .join(', ')
  if (DATE.test(value) || MOMENT.test(value)) {
    const at = new Date(value)
    const style = {
      dateStyle: 'long',
      timeZone: 'UTC',
      ...(MOMENT.test(value) && { timeStyle: 'short' as const }),
    } as const
    if (!Number.isNaN(at.getTime())) return dateFormat(language, style).format(at)
  }
  if (value.length > 1000 && !/\s/.test(value)) return texts.data(value.length)
  return foreignText(value, VALUE_CHARS) ?? '–'
}

function valuesIn(value: Json): Json[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn)
  return isJsonObject(value) ? Object.values(value).flatMap((one) => valuesIn(one ?? null)) : [value]
}

/** Returns the claims of a credential as lines, in the order of its issuer. An array is one line. */
export function linesOf(claims: JsonObject, labels: Display['labels'], language: Language, texts: ValueTexts): Line[] {
  const found = leavesOf(claims, []).slice(0, LINES_MAX)
  const order = new Map(labels.map(({ path }, index) => [path, index]))
  const rank = (path: string) => order.get(path) ?? labels.length
  return found
    .map(({ path, value }) => ({ path, name: nameOf(labels, path), value: valueText(value, language, texts) }))
    .toSorted((one, other) => rank(one.path) - rank(other.path))
}

function leavesOf(value: JsonObject, above: readonly string[]): { readonly path: string; readonly value: Json }[] {
  return Object.entries(value).flatMap(([name, one = null]) =>
    isJsonObject(one) && above.length < 8
      ? leavesOf(one, [...above, name])
      : [{ path: JSON.stringify([...above, name]), value: one }],
  )
}
