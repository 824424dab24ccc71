import { type Json, type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import { type Draft, linesIn, linesTyped, rowIn } from '../resource/fields.ts'
import type { Template } from '../templates/content/template.ts'
import { type AskedRow, attributesFor, conditions, emptyAsked, readPath, rowsOfTemplate } from './asked-attributes.ts'
import { askedFields, askedMembers } from './fields.ts'

/** A credential of a request as it is being edited. */
export type AskedDraft = {
  readonly type: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly name: string
  /** See {@link askedFields}. */
  readonly plain: Draft
  /** Its attributes come from an own template; else they are typed. */
  readonly isOwn: boolean
  /** Who may have issued it. */
  readonly from: (typeof origins)[number]
  readonly entities: readonly string[]
  /** One a line. */
  readonly issuers: string
  readonly rows: readonly AskedRow[]
  /** JSON of members that the form does not show. */
  readonly rest: string
}

/** Who may have issued a credential. `both`: entities and issuers. */
const origins = ['default', 'entities', 'issuers', 'both', 'anybody'] as const
const ROWS_MAX = 100

/** A credential of a type whose attributes are typed. */
export const blankCredential: AskedDraft = {
  type: '',
  format: 'sd-jwt-vc',
  name: '',
  plain: askedFields.blank,
  isOwn: false,
  from: 'default',
  entities: [],
  issuers: '',
  rest: '',
  rows: [emptyAsked],
}

/** Returns a credential of an own template, nothing of which is asked for yet. */
export function ownCredential(template: Template): AskedDraft {
  const { type, format, name } = template
  return { ...blankCredential, type, format, name, isOwn: true, rows: rowsOfTemplate(template) }
}

/** Whether trusted entities are chosen for a credential, and whether issuers are. */
export function askedNames({ from }: Pick<AskedDraft, 'from'>): {
  readonly entities: boolean
  readonly issuers: boolean
} {
  return { entities: from === 'entities' || from === 'both', issuers: from === 'issuers' || from === 'both' }
}

/** Returns what a template says of a credential besides its attributes, with its `meta`. */
export function furtherAsked(asked: JsonObject) {
  const [listed, entities] = [textsIn(asked.issuers), textsIn(asked.trustedIssuers)]
  const isAnybody = listed.length === 1 && listed[0] === '*'
  const rest = Object.entries(asked).filter(([name]) => !askedMembers.includes(name))
  return {
    plain: askedFields.saved(asked),
    from: originOf(isAnybody, listed.length > 0, entities.length > 0),
    entities,
    issuers: isAnybody ? '' : listed.join('\n'),
    rest: rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest)),
  }
}

function originOf(isAnybody: boolean, hasIssuers: boolean, hasEntities: boolean): AskedDraft['from'] {
  if (isAnybody) return 'anybody'
  if (hasIssuers) return hasEntities ? 'both' : 'issuers'
  return hasEntities ? 'entities' : 'default'
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one: Json) => typeof one === 'string') : []
}

/** Returns the credential at a position of a form. */
export function readCredential(fields: Fields, at: number): AskedDraft {
  const own = rowIn(fields, at)
  const text = (name: string) => typed(own, name)
  const count = Math.min(Number(text('rows')) || 0, ROWS_MAX)
  return {
    type: text('type'),
    format: text('format') === 'mdoc' ? 'mdoc' : 'sd-jwt-vc',
    name: text('cname'),
    plain: askedFields.read(own),
    isOwn: text('own') === '1',
    from: origins.find((one) => one === text('from')) ?? 'default',
    entities: typedAll(own, 'entities'),
    issuers: linesTyped(own, 'issuers'),
    rest: text('rest'),
    rows: Array.from({ length: count }, (_, row) => readRow(fields, `${at}-${row}`)),
  }
}

function readRow(fields: Fields, place: string): AskedRow {
  const text = (name: string) => typed(fields, `${name}-${place}`)
  const condition = conditions.find((one) => one === text('cond')) ?? 'any'
  return {
    path: readPath(text('path')),
    label: text('label'),
    kind: text('kind'),
    isOn: text('on') === '1',
    condition,
    value: text('value'),
    until: text('until'),
    isRetained: text('retain') === '1',
    was: text('was'),
  }
}

/** Returns a credential for the API. @param canBeLeftOut Whether the request may say so of single credentials. */
export function credentialOf(one: AskedDraft, canBeLeftOut: boolean): JsonObject {
  const { type, format, name, rows, from, rest } = one
  const by = askedNames(one)
  const { trustedIssuersInQuery: inQuery = null, optional = null, ...plain } = askedFields.body(one.plain)
  return {
    ...(rest !== '' && parseJsonObject(rest)),
    ...plain,
    type,
    format,
    attributes: attributesFor(rows, format),
    ...(name !== '' && { name }),
    ...(by.entities && { trustedIssuers: one.entities }),
    ...(by.entities && inQuery !== null && { trustedIssuersInQuery: inQuery }),
    ...(by.issuers && { issuers: linesIn(one.issuers).map(([, line]) => line) }),
    ...(from === 'anybody' && { issuers: ['*'] }),
    ...(optional !== null && canBeLeftOut && { optional }),
  }
}
