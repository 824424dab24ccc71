import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { stepsOf } from '../../json-pointer.ts'
import { select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import type { Frame } from '../frame/screen.ts'
import { type AttributeShape, leavesOf, type Template } from '../templates/content/template.ts'
import type { CredentialTexts } from './texts.ts'

/** What a form made from a template gave: the claims, and what is wrong by field. */
type ReadValues = { readonly attributes: JsonObject; readonly wrong: Readonly<Record<string, string>> }

/** An input of the form: its name, the path of the claim, and its shape. */
type Input = {
  readonly name: string
  readonly path: readonly string[]
  readonly label: string
  readonly shape: AttributeShape
}

/** What a form begins with: what is wrong by field, and the values of the credential that is replaced; null: none. */
type Begin = { readonly wrong: Readonly<Record<string, string>>; readonly oldValues: JsonObject | null }

/** Returns the fields for the claims of a template. */
export function valueFields(frame: Frame, t: CredentialTexts, template: Template, { wrong, oldValues }: Begin): Html {
  return html`${inputsOf(template).map((leaf) => {
    const value = frame.fields.has(leaf.name) ? typed(frame.fields, leaf.name) : textOf(valueAt(oldValues, leaf.path))
    return input(frame, t, { ...leaf, value, error: wrong[leaf.name] })
  })}`
}

/** Reads the claims that were typed. Empty fields are left out; the API checks the rest. */
export function readValues({ fields, t: { colon } }: Frame, template: Template, t: CredentialTexts): ReadValues {
  const wrong: Record<string, string> = {}
  const attributes: Record<string, Json> = {}
  for (const leaf of inputsOf(template)) {
    const text = typed(fields, leaf.name)
    if (text === '') {
      if (leaf.shape.required === true && leaf.path.length === (template.format === 'mdoc' ? 2 : 1))
        wrong[leaf.name] = `${leaf.label}${colon}${t.wrong.required}`
      continue
    }
    const value = claimOf(text, leaf.shape)
    if (value === null)
      wrong[leaf.name] = `${leaf.label}${colon}${leaf.shape.type === 'date' ? t.wrong.date : t.wrong.number}`
    else place(attributes, leaf.path, value)
  }
  return { attributes, wrong }
}

const offerFields = ['reference', 'recipient', 'mail', 'validFrom', 'validUntil'] as const

/** Returns the name of the field for a JSON pointer of the API, such as `/attributes/degree`. */
export function fieldOf(pointer: string): string | null {
  const [first, ...path] = stepsOf(pointer)
  if (first === 'replaces') return 'revoke'
  if (first === 'attributes') return `value-${path.join('.')}`
  return offerFields.find((name) => name === first) ?? null
}

function inputsOf(template: Template): readonly Input[] {
  return leavesOf(template).map(({ path, label, shape }) => {
    return { name: `value-${path.join('.')}`, path: path.map(String), label, shape }
  })
}

type Filled = Input & { readonly value: string; readonly error: string | undefined }

function input(frame: Frame, t: CredentialTexts, { name, label, shape, value, error }: Filled): Html {
  const isOptional = shape.required !== true
  const given = { name, label, value, isOptional, error }
  if (shape.type === 'boolean') {
    const choices = [
      { value: '', text: t.choose },
      { value: 'true', text: frame.texts.yes },
      { value: 'false', text: frame.texts.no },
    ]
    return select(frame, { ...given, choices })
  }
  if (shape.type === 'array') return textArea(frame, { ...given, hint: t.perLine })
  if (shape.type === 'bytes') return textArea(frame, { ...given, hint: t.base64, lengthMax: 60_000 })
  if (shape.type === 'date') return field(frame, { ...given, type: 'date' })
  return field(frame, { ...given, lengthMax: 2000 })
}

function valueAt(values: JsonObject | null, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (one, step) => (isJsonObject(one) ? memberOf<Json>(one, step) : undefined),
    values ?? undefined,
  )
}

/** What {@link claimOf} reads as this value. */
function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function claimOf(text: string, shape: AttributeShape): Json | null {
  if (shape.type === 'number') {
    const plain = text.replace(',', '.')
    return /^-?\d{1,15}(\.\d{1,15})?$/.test(plain) ? Number(plain) : null
  }
  if (shape.type === 'boolean') return text === 'true'
  if (shape.type === 'date') return /^\d{4}-\d\d-\d\d$/.test(text) ? text : null
  if (shape.type === 'array')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  return text
}

function place(into: Record<string, Json>, [first = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    into[first] = value
    return
  }
  const inner: Record<string, Json> = { ...(into[first] as JsonObject | undefined) }
  place(inner, rest, value)
  into[first] = inner
}
