import { stepsOf } from '../../json-pointer.ts'
import type { Problems } from '../frame/form-values.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { type AskedRow, pointerOf } from './asked-attributes.ts'
import type { AskedDraft, RequestDraft } from './draft.ts'
import type { RequestTexts } from './texts.ts'

/** What is missing, before the API is asked: all of it at once. */
export function checkDraft(draft: RequestDraft, t: RequestTexts, common: ConsoleTexts): Problems {
  const { name, credentials, which } = draft
  const fields = Object.assign({}, ...credentials.map((one, at) => credentialProblems(one, at, t)))
  if (name === '') fields.name = common.required(t.name)
  if (which === 'all' && credentials.length > 0 && credentials.every(({ isOptional }) => isOptional))
    fields['optional-0'] = t.allOptional
  return { fields }
}

function credentialProblems(one: AskedDraft, at: number, t: RequestTexts): Record<string, string> {
  const fields: Record<string, string> = {}
  if (one.type === '') fields[`type-${at}`] = t.typeMissing
  if (one.from === 'entities' && one.entities.length === 0) fields[`from-${at}`] = t.entityMissing
  if (one.from === 'issuers' && one.issuers === '') fields[`issuers-${at}`] = t.issuerMissing
  const asked = one.rows.flatMap((row, place) => (row.isOn ? [[row, place] as const] : []))
  if (asked.length === 0) fields[one.isOwn && one.rows.length > 0 ? `on-${at}-0` : `from-${at}`] = t.chooseOne
  for (const [row, place] of asked) Object.assign(fields, rowProblems(row, `${at}-${place}`, t))
  return fields
}

function rowProblems(
  { path, condition, value, until }: AskedRow,
  place: string,
  t: RequestTexts,
): Record<string, string> {
  return {
    ...(path.length === 0 && { [`path-${place}`]: t.pathMissing }),
    ...(condition !== 'any' && value === '' && { [`value-${place}`]: t.valueMissing }),
    ...(condition === 'between' && until === '' && { [`until-${place}`]: t.valueMissing }),
  }
}

const ofCredential: Readonly<Record<string, string>> = {
  ...{
    type: 'type',
    format: 'format',
    name: 'cname',
    issuers: 'issuers',
    trustedIssuers: 'from',
    optional: 'optional',
  },
}

/** Returns the field of the form at which a finding of the API belongs; null: it has none. */
export function fieldAt(pointer: string, { credentials }: RequestDraft): string | null {
  const [first = '', second = '', third = ''] = stepsOf(pointer)
  if (first !== 'credentials')
    return first === 'name' ? 'name' : first === 'retentionSeconds' ? 'keep' : second === 'purpose' ? 'purpose' : null
  const one = credentials[Number(second)]
  if (one === undefined) return null
  if (third !== 'attributes') return ofCredential[third] === undefined ? null : `${ofCredential[third]}-${second}`
  const below = pointer.slice(`/credentials/${second}/attributes`.length)
  const at = one.rows.findIndex(
    (row) => row.isOn && (below === pointerOf(row) || below.startsWith(`${pointerOf(row)}/`)),
  )
  if (at < 0) return `from-${second}`
  const member = below.endsWith('/maximum') && one.rows[at]?.condition === 'between' ? 'until' : 'value'
  return `${one.rows[at]?.condition === 'any' ? 'on' : member}-${second}-${at}`
}
