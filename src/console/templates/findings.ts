import { stepsOf } from '../../json-pointer.ts'
import { CONTRAST_MIN, contrast } from '../../pages/look/credential-card.ts'
import type { Place, Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { linesIn } from '../resource/fields.ts'
import { type AttributeRow, endOf, mayHaveParts, pointersOf } from './content/attribute-rows.ts'
import { claimLine, claimsIn } from './content/source-draft.ts'
import { type Draft, statedLanguages } from './draft.ts'
import type { TemplateBody } from './draft-body.ts'
import { plainText, templateFields } from './fields.ts'
import { furtherTexts } from './further-texts.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** What only the form knows: what the body of the API could not say. */
export function faultsOf({ language, t: common }: Frame, draft: Draft): Problems {
  const [t, f] = [templateTexts[language], furtherTexts[language]]
  const { rows, languages, source, from, until } = draft
  const [back, ink] = [plainText(draft, 'back'), plainText(draft, 'ink')]
  const locales = [plainText(draft, 'locale'), ...languages.map(({ locale }) => locale)]
  const isTwice = (at: number) => locales.indexOf(locales[at + 1] ?? '') <= at
  return {
    fields: {
      ...rowFaults(rows, t),
      // No card is made by the API.
      ...(/^#[0-9a-f]{6}$/i.test(back) && contrast(back, ink) < CONTRAST_MIN && { ink: t.contrast }),
      ...Object.fromEntries(languages.flatMap((_, at) => (isTwice(at) ? [[`locale-${at}`, t.localeTwice]] : []))),
      ...(from.kind === 'date' && from.date === '' && { fromDate: common.required(t.date) }),
      ...(until.kind === 'date' && until.date === '' && { untilDate: common.required(t.date) }),
      ...(source.source === 'provider' && claimsIn(source.claims) === null && { claims: f.claimsWrong }),
    },
  }
}

/** Members of an object have different names, and only some kinds have parts. */
function rowFaults(rows: readonly AttributeRow[], t: TemplateTexts): Record<string, string> {
  const fields: Record<string, string> = {}
  const pointers = pointersOf(rows)
  rows.forEach((row, at) => {
    if (row.key !== '' && pointers.indexOf(pointers[at] ?? '') < at) fields[`key-${at}`] = t.keyTwice
    const [hasParts, isNamespace] = [endOf(rows, at) > at + 1, row.type === 'namespace']
    if (hasParts && !mayHaveParts(row)) fields[`type-${at}`] = t.partsExtra
    if (!hasParts && !isNamespace && mayHaveParts(row) && row.of !== 'kept') fields[`type-${at}`] = t.partsMissing
  })
  return fields
}

/** Fields that are no member of their own, or not one alone. */
const fieldNames: Readonly<Record<string, string>> = {
  '/format': 'format',
  '/refill': 'refillDays',
  '/attributeSource/endpointId': 'endpoint',
  '/attributeSource/provider': 'provider',
  '/attributeSource/claims': 'claims',
  '/attributeSource': 'source',
  '/display/logo/uri': 'logo',
  '/display/backgroundImage/uri': 'picture',
}
const ofLanguage: Readonly<Record<string, string>> = { name: 'lname', description: 'labout' }
const ofAttribute: Readonly<Record<string, string>> = {
  name: 'label',
  type: 'type',
  items: 'of',
  properties: 'type',
  description: 'about',
}

/** Returns where a finding of the API about the body of a draft is shown; null: it is about all of it. */
export function placeOf(frame: Frame, pointer: string, draft: Draft, body: TemplateBody): Place | null {
  const [first = '', second = '', third = '', fourth = ''] = stepsOf(pointer)
  const at = (name: string | null) => (name === null ? null : { name, label: labelOf(frame, name, draft) })
  if (first === 'attributes') return at(attributeAt(pointer.slice('/attributes'.length), draft))
  if (first === 'label') return at(tickAt('named', body.label ?? [], second, draft))
  if (second === 'cardLine') return at(tickAt('card', body.display?.cardLine ?? [], third, draft))
  if (first === 'validFrom') return at(momentAt('from', draft.from.kind))
  if (first === 'validUntil') return at(momentAt('until', draft.until.kind))
  if (second === 'claims' && third !== '') {
    const [number] = linesIn(draft.source.claims).find(([, text]) => claimLine(text)[0] === third) ?? []
    return { name: 'claims', say: (why) => (number === undefined ? why : frame.t.line(number, why)) }
  }
  const stated = second === 'translations' ? statedLanguages(draft)[Number(third)] : undefined
  if (stated !== undefined) return at(`${ofLanguage[fourth] ?? 'locale'}-${draft.languages.indexOf(stated)}`)
  return at(fieldNames[pointer] ?? null) ?? templateFields.placeOf(frame, draft.plain, pointer)
}

/** What a field is called that can be missing. */
function labelOf({ language }: Frame, name: string, { rows }: Draft): string | undefined {
  const [t, f] = [templateTexts[language], furtherTexts[language]]
  const [base = '', place] = name.split('-')
  if (base === 'key' && rows[Number(place)]?.type === 'namespace') return t.namespace
  const known = { docType: t.docType, label: t.label, endpoint: f.endpoint }
  return new Map(Object.entries(known)).get(base)
}

function momentAt(name: 'from' | 'until', kind: Draft['until']['kind']): string {
  return { none: name, other: name, span: `${name}Count`, date: `${name}Date` }[kind]
}

/** The box of the attribute in a list of some; of the list as a whole, that of the first that is one too many. */
function tickAt(name: 'card' | 'named', listed: readonly string[], index: string, { rows }: Draft): string | null {
  const at = pointersOf(rows).indexOf(listed[index === '' ? TICKED_MAX : Number(index)] ?? '')
  return at < 0 ? null : `${name}-${at}`
}

const TICKED_MAX = 3

/** The field of the row with the longest pointer that the finding is about. */
function attributeAt(pointer: string, { rows, languages }: Draft): string | null {
  const pointers = pointersOf(rows)
  const within = pointers.flatMap((one, at) => (pointer === one || pointer.startsWith(`${one}/`) ? [at] : []))
  const at = within.toSorted((one, other) => (pointers[other] ?? '').length - (pointers[one] ?? '').length)[0]
  const row = at === undefined ? undefined : rows[at]
  if (row === undefined) return null
  const [member = '', inside = ''] = stepsOf(pointer.slice((pointers[at ?? 0] ?? '').length))
  if (row.type === 'namespace') return `key-${at}`
  const language = languages.findIndex(({ locale }) => locale === inside)
  if (member === 'names' && language >= 0) return `label${language}-${at}`
  // A technical name is made from the other one.
  return `${ofAttribute[member] ?? (row.key === '' ? 'label' : 'key')}-${at}`
}
