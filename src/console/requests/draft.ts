import { type Json, type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import type { Template } from '../templates/template.ts'
import {
  type AskedRow,
  attributesFor,
  conditions,
  emptyAsked,
  merged,
  pathText,
  readPath,
  rowsOfAttributes,
  rowsOfTemplate,
} from './asked-attributes.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'

/** A credential of a request as it is being edited. */
export type AskedDraft = {
  readonly type: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly name: string
  /** Its attributes come from an own template; else they are typed. */
  readonly isOwn: boolean
  readonly isOptional: boolean
  readonly isMultiple: boolean
  /** Who may have issued it. */
  readonly from: 'default' | 'entities' | 'issuers' | 'anybody'
  readonly entities: readonly string[]
  /** One a line. */
  readonly issuers: string
  readonly rows: readonly AskedRow[]
  /** JSON of members that the form does not show. */
  readonly rest: string
}

/** A request as it is being edited. */
export type RequestDraft = {
  readonly name: string
  readonly purpose: string
  /** How long the result is kept, in seconds; `''`: by default. */
  readonly keep: string
  /** `kept`: combinations that the form cannot show. */
  readonly which: 'all' | 'one' | 'kept'
  readonly credentials: readonly AskedDraft[]
  /** Of the saved request that is being edited, to notice changes by another person; `''` for a new one. */
  readonly etag: string
}

/** As many as a query of a wallet has. */
export const CREDENTIALS_MAX = 10
const ROWS_MAX = 100

/** Returns a credential of an own template, nothing of which is asked for yet. */
export function ownCredential(template: Template): AskedDraft {
  const { type, format, name } = template
  return { ...blankCredential, type, format, name, isOwn: true, rows: rowsOfTemplate(template) }
}

/** A credential of a type whose attributes are typed. */
export const blankCredential: AskedDraft = {
  ...{ type: '', format: 'sd-jwt-vc', name: '', isOwn: false, isOptional: false, isMultiple: false, rest: '' },
  ...{ from: 'default', entities: [], issuers: '', rows: [emptyAsked] },
}

/** Returns the draft of a request that exists. @param templates Own templates, for the attributes that are not asked for. */
export function draftOf(found: RequestTemplate, meta: RequestMeta, templates: readonly Template[]): RequestDraft {
  const { purpose, credentialSets } = meta.verifierConfig ?? {}
  return {
    ...{ name: found.name, etag: '' },
    purpose: typeof purpose === 'string' ? purpose : found.description,
    keep: meta.retentionSeconds === null ? '' : String(meta.retentionSeconds),
    which: whichOf(credentialSets, found.credentials.length),
    credentials: found.credentials.map((one, at) => {
      const own = templates.find(({ type }) => type === one.type)
      const asked = rowsOfAttributes(one.attributes)
      const rows = own === undefined ? asked : merged(rowsOfTemplate(own), asked)
      const { type, format, name = own?.name ?? '' } = one
      return { type, format, name, rows, isOwn: own !== undefined, ...furtherOf(meta.credentials[at] ?? {}) }
    }),
  }
}

function furtherOf({ issuers, trustedIssuers, optional, multiple, ...rest }: JsonObject) {
  const [listed, entities] = [textsIn(issuers), textsIn(trustedIssuers)]
  const isAnybody = listed.length === 1 && listed[0] === '*'
  const from = isAnybody ? 'anybody' : listed.length > 0 ? 'issuers' : entities.length > 0 ? 'entities' : 'default'
  return {
    ...({ isOptional: optional === true, isMultiple: multiple === true, from, entities } as const),
    issuers: isAnybody ? '' : listed.join('\n'),
    rest: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
  }
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one: Json) => typeof one === 'string') : []
}

/** One set of which each option is one credential; one of them is enough. */
function whichOf(sets: Json | undefined, count: number): RequestDraft['which'] {
  if (!Array.isArray(sets) || sets.length === 0) return 'all'
  return JSON.stringify(sets) === JSON.stringify(anyOf(count)) ? 'one' : 'kept'
}

function anyOf(count: number): Json {
  return [{ options: Array.from({ length: count }, (_, at) => [at]) }]
}

/** Returns the draft that a form holds. */
export function readDraft(fields: Fields): RequestDraft {
  const text = (name: string) => typed(fields, name)
  const which = text('which')
  const count = Math.min(Number(text('credentials')) || 0, CREDENTIALS_MAX)
  return {
    ...{ name: text('name'), purpose: text('purpose'), keep: text('keep'), etag: text('etag') },
    which: which === 'one' || which === 'kept' ? which : 'all',
    credentials: Array.from({ length: count }, (_, at) => readCredential(fields, at)),
  }
}

function readCredential(fields: Fields, at: number): AskedDraft {
  const text = (name: string) => typed(fields, `${name}-${at}`)
  const from = text('from')
  const count = Math.min(Number(text('rows')) || 0, ROWS_MAX)
  const isKnown = from === 'entities' || from === 'issuers' || from === 'anybody'
  return {
    ...{ type: text('type'), format: text('format') === 'mdoc' ? 'mdoc' : 'sd-jwt-vc', name: text('cname') },
    ...{ isOwn: text('own') === '1', isOptional: text('optional') === '1', isMultiple: text('multiple') === '1' },
    ...{ from: isKnown ? from : 'default', entities: typedAll(fields, `entities-${at}`), issuers: text('issuers') },
    rest: text('rest'),
    rows: Array.from({ length: count }, (_, row) => readRow(fields, `${at}-${row}`)),
  }
}

function readRow(fields: Fields, place: string): AskedRow {
  const text = (name: string) => typed(fields, `${name}-${place}`)
  const condition = conditions.find((one) => one === text('cond')) ?? 'any'
  return {
    ...{ path: readPath(text('path')), label: text('label'), kind: text('kind'), isOn: text('on') === '1' },
    ...{ condition, value: text('value'), until: text('until'), rest: text('rest') },
  }
}

/** Returns the draft after a button; null: it is none. */
export function edited(draft: RequestDraft, button: string): RequestDraft | null {
  const [verb = '', first = '', second = ''] = button.split('-')
  const at = Number(first)
  const one = draft.credentials[at]
  if (one === undefined) return null
  if (verb === 'drop') return { ...draft, which: 'all', credentials: draft.credentials.toSpliced(at, 1) }
  const rows =
    verb === 'row' ? [...one.rows, emptyAsked] : verb === 'unrow' ? one.rows.toSpliced(Number(second), 1) : null
  return rows === null ? null : { ...draft, credentials: draft.credentials.with(at, { ...one, rows }) }
}

/** Returns the body for the API. @param meta Of the request that is replaced: members that the form does not show stay. */
export function bodyOf(draft: RequestDraft, meta: RequestMeta | null, description: string): object {
  const { purpose: _purpose, credentialSets: kept, ...config } = meta?.verifierConfig ?? {}
  const { which, purpose, keep, name } = draft
  const sets = which === 'one' ? anyOf(draft.credentials.length) : which === 'kept' ? kept : undefined
  const verifierConfig = {
    ...config,
    ...(purpose !== '' && { purpose }),
    ...(sets !== undefined && { credentialSets: sets }),
  }
  return {
    ...{ name, description },
    credentials: draft.credentials.map((one) => credentialOf(one, which)),
    ...(Object.keys(verifierConfig).length > 0 && { verifierConfig }),
    ...(keep !== '' && { retentionSeconds: Number(keep) }),
  }
}

function credentialOf(one: AskedDraft, which: RequestDraft['which']): object {
  const { type, format, name, rows, from, entities, issuers, rest, isOptional, isMultiple } = one
  const lines = issuers.split('\n').map((line) => line.trim())
  return {
    ...(rest !== '' && parseJsonObject(rest)),
    ...{ type, format, attributes: attributesFor(rows, format) },
    ...(name !== '' && { name }),
    ...(from === 'entities' && { trustedIssuers: entities }),
    ...(from === 'issuers' && { issuers: lines.filter((line) => line !== '') }),
    ...(from === 'anybody' && { issuers: ['*'] }),
    ...(isOptional && which === 'all' && { optional: true }),
    ...(isMultiple && { multiple: true }),
  }
}

/** What an attribute is called where there is no label. */
export function askedLabel({ label, path }: AskedRow): string {
  return label || pathText(path)
}
