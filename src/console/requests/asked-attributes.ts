import { isJsonObject, type Json, type JsonObject, parseJson, parseJsonObject } from '../../crypto/json.ts'
import { pointerTo } from '../../json-pointer.ts'
import { type AttributeShape, leavesOf, objectParts, type Template } from '../templates/content/template.ts'

/** A step into a credential; null: every element of a list. */
export type AttributeStep = string | number | null

/** An attribute that can be asked for, as it is being edited. */
export type AskedRow = {
  /** Of an mdoc: namespace and element. */
  readonly path: readonly AttributeStep[]
  /** `''`: only its path is known. */
  readonly label: string
  /** Type of its values; `''`: not known. */
  readonly kind: string
  readonly isOn: boolean
  readonly condition: Condition
  readonly value: string
  /** Upper bound of `between`. */
  readonly until: string
  /** Of an mdoc: the verifier means to keep the value. */
  readonly isRetained: boolean
  /** JSON of what the request says of it now; `''`: nothing. What is left alone stays as it is. */
  readonly was: string
}

/** What a value must be. */
type Condition = (typeof conditions)[number]
/** See {@link Condition}. */
export const conditions = ['any', 'is', 'oneOf', 'min', 'max', 'between'] as const

/** A row in which nothing was typed. */
export const emptyAsked: AskedRow = {
  path: [],
  label: '',
  kind: '',
  isOn: true,
  condition: 'any',
  value: '',
  until: '',
  isRetained: false,
  was: '',
}

/** Returns every attribute of an own template, none of them asked for. Elements of an mdoc are asked for as a whole. */
export function rowsOfTemplate(template: Template): readonly AskedRow[] {
  const leaves = leavesOf(template, template.format === 'mdoc' ? () => null : partsOrEntries)
  return leaves.map(({ path, label, shape: { type: kind = '' } }) => {
    return { ...emptyAsked, path, label, kind, isOn: false }
  })
}

function partsOrEntries(shape: AttributeShape): ReturnType<typeof objectParts> {
  const inside = shape.items?.properties ?? null
  return objectParts(shape) ?? (isJsonObject(inside) ? { parts: inside, steps: [null] } : null)
}

/** Returns the attributes that a request asks for. */
export function rowsOfAttributes(attributes: JsonObject): readonly AskedRow[] {
  return Object.entries(attributes).flatMap(([key, entry]) => flattened([key], entry))
}

function flattened(path: readonly AttributeStep[], entry: Json): readonly AskedRow[] {
  if (!isJsonObject(entry)) return []
  const { properties, items } = entry
  if (isJsonObject(properties ?? null))
    return Object.entries(properties as JsonObject).flatMap(([key, one]) => flattened([...path, key], one))
  if (Array.isArray(items)) return items.flatMap((one: Json, at: number) => flattened([...path, at], one))
  if (items !== undefined) return flattened([...path, null], items)
  return [{ ...emptyAsked, path, ...conditionIn(entry) }]
}

function conditionIn(entry: JsonObject): Partial<AskedRow> {
  const { type, intentToRetain } = entry
  return {
    ...conditionOf(entry),
    kind: typeof type === 'string' ? type : '',
    isRetained: intentToRetain === true,
    was: Object.keys(entry).length > 0 ? JSON.stringify(entry) : '',
  }
}

function conditionOf({ value, values, minimum, maximum }: JsonObject): Pick<AskedRow, 'condition' | 'value' | 'until'> {
  if (Array.isArray(values)) return { condition: 'oneOf', value: values.map(String).join('; '), until: '' }
  if (value !== undefined) return { condition: 'is', value: String(value), until: '' }
  const [from = '', until = ''] = [minimum, maximum].map((one) => (one === undefined ? '' : String(one)))
  if (from === '' && until === '') return { condition: 'any', value: '', until: '' }
  return { condition: from === '' ? 'max' : until === '' ? 'min' : 'between', value: from || until, until }
}

/** Puts what a request asks for into the attributes of the template that has its type: their order and labels stay. */
export function merged(known: readonly AskedRow[], asked: readonly AskedRow[]): readonly AskedRow[] {
  const nameOf = ({ path }: AskedRow) => JSON.stringify(path)
  const byPath = new Map(asked.map((one) => [nameOf(one), one]))
  const names = new Set(known.map(nameOf))
  return [
    ...known.map((one) => ({ ...one, ...byPath.get(nameOf(one)), label: one.label, kind: one.kind })),
    ...asked.filter((one) => !names.has(nameOf(one))),
  ]
}

/** Returns a path as it is typed: `address / city`, with `*` for every element. */
export function askedPathText(path: readonly AttributeStep[]): string {
  return path.map((one) => one ?? '*').join(' / ')
}

/** Returns the path that was typed, or that stands in the form as JSON. */
export function readPath(text: string): readonly AttributeStep[] {
  if (text.startsWith('[')) return stepsIn(text)
  const steps = text.split('/').map((one) => one.trim())
  return steps
    .filter((one) => one !== '')
    .map((one, at) => (one === '*' ? null : at > 0 && /^\d{1,4}$/.test(one) ? Number(one) : one))
}

function stepsIn(text: string): readonly AttributeStep[] {
  try {
    const steps = parseJson(text)
    return Array.isArray(steps)
      ? steps.filter((one: Json) => one === null || ['string', 'number'].includes(typeof one))
      : []
  } catch {
    return []
  }
}

/** Returns the JSON pointer of a row below the attributes. */
export function pointerOf({ path }: AskedRow): string {
  return path.reduce<string>((at, step, depth) => {
    if (depth === 0) return pointerTo(at, String(step))
    return step === null
      ? `${at}/items`
      : typeof step === 'number'
        ? `${at}/items/${step}`
        : pointerTo(`${at}/properties`, step)
  }, '')
}

/** Returns the attributes for the API: those rows that are asked for. */
export function attributesFor(rows: readonly AskedRow[], format: 'sd-jwt-vc' | 'mdoc'): JsonObject {
  const found: Record<string, Json> = {}
  for (const row of rows.filter(({ isOn }) => isOn)) {
    const [first, ...path] = row.path
    if (typeof first === 'string') found[first] = placed(found[first], path, entryOf(row, format))
  }
  return found
}

function placed(
  into: Json | undefined,
  [step, ...path]: readonly (AttributeStep | undefined)[],
  entry: JsonObject,
): Json {
  if (step === undefined) return entry
  const now = isJsonObject(into ?? null) ? (into as JsonObject) : {}
  const rest = path as readonly AttributeStep[]
  if (typeof step === 'string') {
    const properties = isJsonObject(now.properties ?? null) ? (now.properties as JsonObject) : {}
    return { properties: { ...properties, [step]: placed(properties[step], rest, entry) } }
  }
  if (step === null) return { items: placed(now.items, rest, entry) }
  const items: Json[] = Array.isArray(now.items) ? [...now.items] : []
  while (items.length <= step) items.push(null)
  return { items: items.with(step, placed(items[step] ?? undefined, rest, entry)) }
}

function entryOf(row: AskedRow, format: 'sd-jwt-vc' | 'mdoc'): JsonObject {
  const now = row.was === '' ? {} : parseJsonObject(row.was)
  const { type: _, value: __, values: ___, minimum: ____, maximum: _____, ...kept } = now
  const entry = isSameCondition(row, now) ? now : { ...kept, ...conditionFor(row, format) }
  const { intentToRetain = false } = entry
  return row.isRetained === intentToRetain ? entry : { ...entry, intentToRetain: row.isRetained }
}

/** `until` is not typed where there is but one bound. */
function isSameCondition({ condition, value, until }: AskedRow, now: JsonObject): boolean {
  const before = conditionOf(now)
  const isSameEnd = condition !== 'between' || until === before.until
  return condition === before.condition && value === before.value && isSameEnd
}

function conditionFor({ condition, value, until, kind }: AskedRow, format: 'sd-jwt-vc' | 'mdoc'): JsonObject {
  const isTyped = ['string', 'number', 'boolean', 'date'].includes(kind)
  const type = isTyped && format !== 'mdoc' ? { type: kind } : {}
  const of = (text: string) => valueIn(text, kind)
  switch (condition) {
    case 'is':
      return { ...type, value: of(value) }
    case 'oneOf':
      return { ...type, values: value.split(';').map((one) => of(one.trim())) }
    case 'min':
      return { ...type, minimum: of(value) }
    case 'max':
      return { ...type, maximum: of(value) }
    case 'between':
      return { ...type, minimum: of(value), maximum: of(until) }
    default:
      return {}
  }
}

/** A text that is no value of the type stays a text, which the API refuses. */
function valueIn(text: string, kind: string): Json {
  const plain = text.replace(',', '.')
  if ((kind === 'number' || kind === '') && /^-?\d{1,15}(\.\d{1,15})?$/.test(plain)) return Number(plain)
  if (kind === 'boolean')
    return /^(true|yes|oui|1)$/i.test(text) ? true : /^(false|no|non|0)$/i.test(text) ? false : text
  return text
}
