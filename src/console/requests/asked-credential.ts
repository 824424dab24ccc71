import type { GivenBody } from '../../contract/call.ts'
import type { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { type Json, type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import { linesIn, linesTyped } from '../resource/fields.ts'
import type { Template } from '../templates/content/template.ts'
import { type AskedRow, attributesFor, conditions, emptyAsked, readPath, rowsOfTemplate } from './asked-attributes.ts'
import { claimSetsIn, claimSetsText } from './combinations.ts'

/** A credential of a request as it is being edited. */
export type AskedDraft = {
  readonly type: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly name: string
  /** What it is asked for, for colleagues. */
  readonly about: string
  /** Its attributes come from an own template; else they are typed. */
  readonly isOwn: boolean
  readonly isOptional: boolean
  readonly isMultiple: boolean
  /** The holder proves possession of its key. */
  readonly isBound: boolean
  /** An mdoc must not be valid for longer than its signer certificate. */
  readonly isStrict: boolean
  /** The query names the certificates of the chosen entities. */
  readonly isInQuery: boolean
  /** Who may have issued it. */
  readonly from: (typeof origins)[number]
  readonly entities: readonly string[]
  /** One a line. */
  readonly issuers: string
  /** Authority key identifiers: an authority a line, its values with spaces between them. */
  readonly authorities: string
  /** See {@link claimSetsText}. */
  readonly claimSets: string
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
  about: '',
  isOwn: false,
  isOptional: false,
  isMultiple: false,
  isBound: true,
  isStrict: false,
  isInQuery: false,
  from: 'default',
  entities: [],
  issuers: '',
  authorities: '',
  claimSets: '',
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

/** Returns what the `meta` of a template says of a credential. */
export function furtherAsked({ issuers, trustedIssuers, optional, multiple, ...others }: JsonObject) {
  const { requireCryptographicHolderBinding, strictValidity, trustedIssuersInQuery, ...more } = others
  const { trustedAuthorities, claimSets, ...rest } = more
  const [listed, entities] = [textsIn(issuers), textsIn(trustedIssuers)]
  const isAnybody = listed.length === 1 && listed[0] === '*'
  return {
    from: originOf(isAnybody, listed.length > 0, entities.length > 0),
    entities,
    isOptional: optional === true,
    isMultiple: multiple === true,
    isBound: requireCryptographicHolderBinding !== false,
    isStrict: strictValidity === true,
    isInQuery: trustedIssuersInQuery === true,
    claimSets: claimSetsText(claimSets),
    issuers: isAnybody ? '' : listed.join('\n'),
    authorities: authoritiesText(trustedAuthorities),
    rest: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
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

function authoritiesText(value: Json | undefined): string {
  // The API accepted it; the only type is `aki`.
  const all = (Array.isArray(value) ? value : []) as readonly { readonly values: readonly string[] }[]
  return all.map(({ values }) => values.join(' ')).join('\n')
}

/** Returns the credential at a position of a form. */
export function readCredential(fields: Fields, at: number): AskedDraft {
  const text = (name: string) => typed(fields, `${name}-${at}`)
  const isOn = (name: string) => text(name) === '1'
  const count = Math.min(Number(text('rows')) || 0, ROWS_MAX)
  return {
    type: text('type'),
    format: text('format') === 'mdoc' ? 'mdoc' : 'sd-jwt-vc',
    name: text('cname'),
    about: text('cabout'),
    isOwn: isOn('own'),
    isOptional: isOn('optional'),
    isMultiple: isOn('multiple'),
    isBound: !isOn('unbound'),
    isStrict: isOn('strict'),
    isInQuery: isOn('inquery'),
    from: origins.find((one) => one === text('from')) ?? 'default',
    entities: typedAll(fields, `entities-${at}`),
    issuers: linesTyped(fields, `issuers-${at}`),
    authorities: linesTyped(fields, `authorities-${at}`),
    claimSets: linesTyped(fields, `claims-${at}`),
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

type AskedBody = GivenBody<typeof presentationTemplates.create>['credentials'][number]

/** Returns a credential for the API. @param canBeLeftOut Whether the request may say so of single credentials. */
export function credentialOf(one: AskedDraft, canBeLeftOut: boolean): AskedBody {
  const { type, format, name, about, rows, from, rest, authorities, claimSets } = one
  const by = askedNames(one)
  const keys = linesIn(authorities).map(([, line]) => ({ type: 'aki', values: line.split(/\s+/) }))
  return {
    ...(rest !== '' && parseJsonObject(rest)),
    type,
    format,
    attributes: attributesFor(rows, format),
    ...(name !== '' && { name }),
    ...(about !== '' && { description: about }),
    ...(by.entities && { trustedIssuers: one.entities }),
    ...(by.entities && one.isInQuery && { trustedIssuersInQuery: true }),
    ...(by.issuers && { issuers: linesIn(one.issuers).map(([, line]) => line) }),
    ...(from === 'anybody' && { issuers: ['*'] }),
    ...(keys.length > 0 && { trustedAuthorities: keys }),
    ...(claimSets !== '' && { claimSets: claimSetsIn(claimSets) ?? [] }),
    ...(one.isOptional && canBeLeftOut && { optional: true }),
    ...(one.isMultiple && { multiple: true }),
    ...(!one.isBound && { requireCryptographicHolderBinding: false }),
    ...(one.isStrict && { strictValidity: true }),
  }
}
