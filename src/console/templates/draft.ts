import { type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { CONTRAST_MIN, contrast } from '../../pages/look/credential-card.ts'
import { typed } from '../../pages/once.ts'
import type { Problems } from '../frame/form-values.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { type AttributeShape, attributesOf, type Template } from './template.ts'
import type { TemplateTexts } from './texts.ts'

/** An attribute as it is being edited. `rest` is the JSON of members that the form does not show. */
export type AttributeRow = {
  readonly namespace: string
  readonly key: string
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly isAlways: boolean
  readonly rest: string
}

/** A template as it is being edited. */
export type Draft = {
  readonly name: string
  readonly description: string
  readonly code: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly docType: string
  readonly isRevocable: boolean
  readonly back: string
  readonly ink: string
  readonly ends: 'never' | 'years' | 'date' | 'other'
  readonly years: string
  readonly date: string
  readonly hasTxCode: boolean
  readonly rows: readonly AttributeRow[]
  /** Entity tag of the state that is being edited; `''` for a new template. */
  readonly etag: string
}

const ROWS_MAX = 200
const emptyRow: AttributeRow = {
  ...{ namespace: '', key: '', name: '', type: 'string', rest: '' },
  isRequired: false,
  isAlways: false,
}
const blank: Draft = {
  ...{ name: '', description: '', code: '', format: 'sd-jwt-vc', docType: '', isRevocable: true },
  ...{ back: '#1f2d4a', ink: '#ffffff', ends: 'never', years: '', date: '', hasTxCode: false, etag: '' },
  rows: [emptyRow],
}

const row = (key: string, name: string, type: string, isRequired = true, namespace = ''): AttributeRow => {
  return { ...emptyRow, key, name, type, isRequired, namespace }
}
const MDL = 'org.iso.18013.5.1'

/** What a new template may start from. */
export const starts: Readonly<Record<keyof TemplateTexts['starts'], (t: TemplateTexts) => Draft>> = {
  blank: () => blank,
  diploma: (t) => ({
    ...{ ...blank, name: t.starts.diploma, ends: 'never' },
    rows: [
      row('family_name', 'Family name', 'string'),
      row('given_name', 'Given name', 'string'),
      row('degree', 'Degree', 'string'),
      row('awarded_on', 'Awarded on', 'date', false),
    ],
  }),
  staff: (t) => ({
    ...{ ...blank, name: t.starts.staff, ends: 'years', years: '2', back: '#14532d' },
    rows: [
      row('family_name', 'Family name', 'string'),
      row('given_name', 'Given name', 'string'),
      row('staff_number', 'Staff number', 'string'),
      row('department', 'Department', 'string', false),
    ],
  }),
  licence: () => ({
    ...{
      ...blank,
      name: 'Driving licence',
      ends: 'years',
      years: '5',
      back: '#5b1a3a',
      format: 'mdoc',
      docType: `${MDL}.mDL`,
    },
    rows: [
      ...[row('family_name', 'Family name', 'string', true, MDL), row('given_name', 'Given name', 'string', true, MDL)],
      ...[row('birth_date', 'Date of birth', 'date', true, MDL), row('issue_date', 'Issued on', 'date', true, MDL)],
      ...[row('expiry_date', 'Valid until', 'date', true, MDL), row('issuing_country', 'Country', 'string', true, MDL)],
      ...[
        row('issuing_authority', 'Authority', 'string', true, MDL),
        row('document_number', 'Number', 'string', true, MDL),
      ],
      ...[row('portrait', 'Portrait', 'bytes', true, MDL), row('un_distinguishing_sign', 'Sign', 'string', true, MDL)],
    ],
  }),
}

/** Returns the draft of a template that exists. */
export function draftOf(template: Template, etag: string): Draft {
  const { validUntil: until, display } = template
  const years =
    typeof until === 'object' && Object.keys(until.future).join() === 'years' ? until.future.years : undefined
  const ends =
    until === undefined ? 'never' : typeof until === 'string' ? 'date' : years === undefined ? 'other' : 'years'
  const { name, description = '', code, format, docType = '', revocable: isRevocable } = template
  return {
    ...{ name, description, code, format, docType, isRevocable, ends, etag },
    ...{ years: years === undefined ? '' : String(years), date: typeof until === 'string' ? until.slice(0, 10) : '' },
    ...{ back: display?.backgroundColor ?? blank.back, ink: display?.textColor ?? blank.ink },
    hasTxCode: template.txCode !== undefined,
    rows: attributesOf(template).map(({ namespace, key, shape }) => {
      const { name: label, type, required, alwaysDisclosed, ...rest } = shape
      const isSimple = Object.keys(rest).length === 0
      return {
        ...{ namespace, key, name: label ?? '', type: type ?? 'string', isRequired: required === true },
        ...{ isAlways: alwaysDisclosed === true, rest: isSimple ? '' : JSON.stringify(rest) },
      }
    }),
  }
}

/** Returns the draft that a form holds. */
export function readDraft(fields: Fields): Draft {
  const text = (name: string) => typed(fields, name)
  const ends = text('ends')
  const count = Math.min(Number(text('rows')) || 0, ROWS_MAX)
  return {
    ...{ name: text('name'), description: text('description'), code: text('code'), docType: text('docType') },
    ...{ format: text('format') === 'mdoc' ? 'mdoc' : 'sd-jwt-vc', isRevocable: text('revocable') === '1' },
    ...{ back: text('back'), ink: text('ink'), years: text('years'), date: text('date'), etag: text('etag') },
    ends: ends === 'years' || ends === 'date' || ends === 'other' ? ends : 'never',
    hasTxCode: text('txCode') === '1',
    rows: Array.from({ length: count }, (_, at) => {
      const of = (name: string) => text(`${name}-${at}`)
      return {
        ...{
          namespace: of('namespace'),
          key: of('key'),
          name: of('label'),
          type: of('type') || 'string',
          rest: of('rest'),
        },
        ...{ isRequired: of('required') === '1', isAlways: of('always') === '1' },
      }
    }),
  }
}

/** Returns the draft after a button: add, up-N, remove-N; and the place that the person continues at. */
export function editRows(draft: Draft, button: string): { readonly draft: Draft; readonly at: number } | null {
  const [verb = '', place = ''] = button.split('-')
  const at = Number(place)
  const rows = [...draft.rows]
  if (verb === 'add')
    return {
      draft: { ...draft, rows: [...rows, { ...emptyRow, namespace: rows.at(-1)?.namespace ?? '' }] },
      at: rows.length,
    }
  const one = rows[at]
  if (one === undefined) return null
  if (verb === 'remove') return { draft: { ...draft, rows: rows.toSpliced(at, 1) }, at: Math.max(0, at - 1) }
  if (verb === 'up' && at > 0)
    return { draft: { ...draft, rows: rows.toSpliced(at, 1).toSpliced(at - 1, 0, one) }, at: at - 1 }
  return null
}

/** What is missing or cannot be, before the API is asked. */
export function checkDraft(draft: Draft, t: TemplateTexts, common: ConsoleTexts): Problems {
  const fields: Record<string, string> = {}
  if (draft.name === '') fields.name = common.required(t.name)
  if (draft.format === 'mdoc' && draft.docType === '') fields.docType = common.required(t.docType)
  if (/^#[0-9a-f]{6}$/i.test(`${draft.back}`) && contrast(draft.back, draft.ink) < CONTRAST_MIN) fields.ink = t.contrast
  if (draft.ends === 'years' && !/^\d{1,3}$/.test(draft.years)) fields.years = common.required(t.years)
  if (draft.ends === 'date' && draft.date === '') fields.date = common.required(t.date)
  const seen = new Set<string>()
  draft.rows.forEach(({ namespace, key }, at) => {
    const path = `${namespace} ${key}`
    if (key === '') fields[`key-${at}`] = common.required(t.key)
    else if (!/^\w{1,64}$/.test(key)) fields[`key-${at}`] = t.keyWrong
    else if (seen.has(path)) fields[`key-${at}`] = t.keyTwice
    seen.add(path)
  })
  return draft.rows.length === 0 ? { fields, general: t.noAttributes } : { fields }
}

/** Returns the body for the API. @param current What is saved now: members that the form does not show stay. */
export function bodyOf(draft: Draft, current: Template | null): object {
  const { id: _id, type: _type, updatedAt: _updated, archivedAt: _archived, ...kept } = current ?? {}
  const {
    createdAt: _created,
    validUntil,
    txCode,
    description: _about,
    ...rest
  } = kept as Partial<Template> & { createdAt?: string }
  const until = {
    never: undefined,
    years: { future: { years: Number(draft.years) } },
    date: draft.date,
    other: validUntil,
  }[draft.ends]
  return {
    ...rest,
    ...{ name: draft.name, code: current?.code ?? codeOf(draft), format: draft.format, revocable: draft.isRevocable },
    ...(draft.description !== '' && { description: draft.description }),
    ...(draft.format === 'mdoc' && { docType: draft.docType }),
    ...(until !== undefined && { validUntil: until }),
    ...(draft.hasTxCode && { txCode: txCode ?? {} }),
    display: { ...current?.display, backgroundColor: draft.back, textColor: draft.ink },
    attributes: grammarOf(draft),
  }
}

function codeOf({ code, name }: Draft): string {
  if (code !== '') return code
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 64) || 'card'
  )
}

function grammarOf({ rows, format }: Draft): JsonObject {
  const grammar: Record<string, Record<string, JsonObject>> = {}
  const flat: Record<string, JsonObject> = {}
  for (const one of rows) {
    const shape = shapeOf(one, format)
    if (format === 'mdoc') grammar[one.namespace] = { ...grammar[one.namespace], [one.key]: shape }
    else flat[one.key] = shape
  }
  return format === 'mdoc' ? grammar : flat
}

function shapeOf({ type, name, isRequired, isAlways, rest }: AttributeRow, format: Draft['format']): AttributeShape {
  return {
    ...(rest !== '' && parseJsonObject(rest)),
    type,
    ...(name !== '' && { name }),
    ...(isRequired && { required: true }),
    ...(isAlways && format !== 'mdoc' && { alwaysDisclosed: true }),
  }
}
