import { stepsOf } from '../../json-pointer.ts'
import { CONTRAST_MIN, contrast } from '../../pages/look/credential-card.ts'
import type { Problems } from '../frame/form-values.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { type AttributeRow, endOf, labelTypes, mayHaveParts, pointersOf } from './content/attribute-rows.ts'
import { type Draft, statedLanguages } from './content/draft.ts'
import { claimsIn, type FurtherDraft } from './content/further-draft.ts'
import type { FurtherTexts } from './further-texts.ts'
import type { TemplateTexts } from './texts.ts'

const ON_CARD_MAX = 3
const IN_LABEL_MAX = 3

/** What is missing or cannot be, before the API is asked: all of it at once. */
export function checkDraft(draft: Draft, t: TemplateTexts, f: FurtherTexts, common: ConsoleTexts): Problems {
  const fields: Record<string, string> = {
    ...(draft.name === '' && { name: common.required(t.name) }),
    ...(draft.format === 'mdoc' && draft.docType === '' && { docType: common.required(t.docType) }),
    ...rowProblems(draft, t, common),
    ...lookProblems(draft, t),
    ...termProblems(draft, t, common),
    ...sourceProblems(draft.further, f),
  }
  return draft.rows.length === 0 ? { fields, general: t.noAttributes } : { fields }
}

function rowProblems({ rows, format }: Draft, t: TemplateTexts, common: ConsoleTexts): Record<string, string> {
  const fields: Record<string, string> = {}
  const pointers = pointersOf(rows)
  const isWrong = (key: string) => (format === 'mdoc' ? key.length > 128 : !/^[\w:-]{1,128}$/.test(key))
  rows.forEach((row, at) => {
    // A technical name is made from the other one.
    const missing =
      row.type === 'namespace' ? ([`key-${at}`, t.namespace] as const) : ([`label-${at}`, t.label] as const)
    if (row.key === '') fields[missing[0]] = common.required(missing[1])
    else if (isWrong(row.key)) fields[`key-${at}`] = t.keyWrong
    else if (pointers.indexOf(pointers[at] ?? '') < at) fields[`key-${at}`] = t.keyTwice
    const hasParts = endOf(rows, at) > at + 1
    if (hasParts && !mayHaveParts(row)) fields[`type-${at}`] = t.partsExtra
    if (!hasParts && mayHaveParts(row) && row.of !== 'kept')
      fields[row.type === 'namespace' ? `key-${at}` : `type-${at}`] ??= t.partsMissing
  })
  return { ...fields, ...cardProblems(rows, t), ...labelProblems(rows, t) }
}

function cardProblems(rows: readonly AttributeRow[], t: TemplateTexts): Record<string, string> {
  const on = rows.flatMap(({ isOnCard }, at) => (isOnCard ? [at] : []))
  return Object.fromEntries(on.slice(ON_CARD_MAX, ON_CARD_MAX + 1).map((at) => [`card-${at}`, t.onCardMany]))
}

function labelProblems(rows: readonly AttributeRow[], t: TemplateTexts): Record<string, string> {
  const on = rows.flatMap(({ isInLabel }, at) => (isInLabel ? [at] : []))
  const wrong = on.filter((at) => !labelTypes.includes(rows[at]?.type ?? ''))
  return Object.fromEntries([
    ...wrong.map((at) => [`named-${at}`, t.inLabelWrong]),
    ...on.slice(IN_LABEL_MAX, IN_LABEL_MAX + 1).map((at) => [`named-${at}`, t.inLabelMany]),
  ])
}

function lookProblems({ back, ink, locale, languages }: Draft, t: TemplateTexts): Record<string, string> {
  const fields: Record<string, string> = {}
  if (/^#[0-9a-f]{6}$/i.test(back) && contrast(back, ink) < CONTRAST_MIN) fields.ink = t.contrast
  if (languages.length > 0 && locale === '') fields.locale = t.localeMissing
  const all = [locale, ...languages.map((one) => one.locale)]
  all.forEach((one, at) => {
    if (at > 0 && all.indexOf(one) < at) fields[`locale-${at - 1}`] = t.localeTwice
  })
  return fields
}

function termProblems(draft: Draft, t: TemplateTexts, common: ConsoleTexts): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const name of ['from', 'until'] as const) {
    const { kind, count, date } = draft[name]
    if (kind === 'span' && !/^\d{1,5}$/.test(count)) fields[`${name}Count`] = t.number
    if (kind === 'date' && date === '') fields[`${name}Date`] = common.required(t.date)
  }
  if (draft.copies !== '' && !/^\d{1,2}$/.test(draft.copies)) fields.copies = t.number
  if (draft.refillDays === '' ? draft.refillTimes !== '' : !/^\d{1,2}$/.test(draft.refillDays))
    fields.refillDays = t.number
  if (!/^\d{0,3}$/.test(draft.refillTimes)) fields.refillTimes = t.number
  if (draft.refillDays !== '' && draft.isApproved) fields.refillDays = t.refillApproved
  if (draft.hasTxCode && !/^\d{0,2}$/.test(draft.txLength)) fields.txLength = t.number
  return fields
}

function sourceProblems({ source, endpoint, claims }: FurtherDraft, f: FurtherTexts): Record<string, string> {
  return {
    ...(source === 'webhook' && endpoint === '' && { endpoint: f.endpointWrong }),
    ...(source === 'provider' && claimsIn(claims) === null && { claims: f.claimsWrong }),
  }
}

/** Returns the problems with what only the API knows of a source said in words: its own sentences are English. */
export function inWords({ fields, general }: Problems, f: FurtherTexts): Problems {
  const said = {
    ...(fields.endpoint !== undefined && { endpoint: f.endpointWrong }),
    ...(fields.provider !== undefined && { provider: f.providerWrong }),
    ...(fields.claims !== undefined && { claims: f.claimsWrong }),
  }
  return { fields: { ...fields, ...said }, ...(general !== undefined && { general }) }
}

const plain: Readonly<Record<string, string>> = {
  name: 'name',
  code: 'code',
  description: 'description',
  docType: 'docType',
  format: 'format',
  batchSize: 'copies',
  validFrom: 'from',
  validUntil: 'until',
  revocable: 'revocable',
  keyAttestation: 'attested',
  offerScheme: 'scheme',
}
const ofDisplay: Readonly<Record<string, string>> = {
  name: 'cardName',
  description: 'cardAbout',
  locale: 'locale',
  logo: 'logo',
  backgroundImage: 'picture',
  backgroundColor: 'back',
  textColor: 'ink',
}
const ofAttribute: Readonly<Record<string, string>> = {
  name: 'label',
  names: 'label0',
  type: 'type',
  items: 'of',
  properties: 'type',
  description: 'about',
}

/** Returns the field of the form at which a finding of the API belongs; null: it has none. */
export function fieldAt(pointer: string, draft: Draft): string | null {
  const [first = '', second = '', third = '', fourth = ''] = stepsOf(pointer)
  if (first === 'attributes') return attributeAt(pointer.slice('/attributes'.length), draft.rows)
  if (first === 'signer') return second === 'keyType' ? 'keyType' : 'signer'
  if (first === 'refill') return second === 'times' ? 'refillTimes' : 'refillDays'
  if (first === 'attributeSource')
    return { endpointId: 'endpoint', provider: second, claims: second }[second] ?? 'source'
  if (first === 'txCode') return { inputMode: 'txMode', description: 'txText' }[second] ?? 'txLength'
  if (first !== 'display') return plain[first] ?? null
  if (second !== 'translations') return ofDisplay[second] ?? null
  const stated = statedLanguages(draft)[Number(third)]
  const at = stated === undefined ? -1 : draft.languages.indexOf(stated)
  return at < 0 ? 'locale' : `${{ name: 'lname', description: 'labout' }[fourth] ?? 'locale'}-${at}`
}

/** The row with the longest pointer that the finding is about. */
function attributeAt(pointer: string, rows: readonly AttributeRow[]): string | null {
  const pointers = pointersOf(rows)
  const within = pointers.flatMap((one, at) => (pointer === one || pointer.startsWith(`${one}/`) ? [at] : []))
  const at = within.toSorted((one, other) => (pointers[other] ?? '').length - (pointers[one] ?? '').length)[0]
  if (at === undefined) return null
  const [member = ''] = stepsOf(pointer.slice((pointers[at] ?? '').length))
  return `${rows[at]?.type === 'namespace' ? 'key' : (ofAttribute[member] ?? 'key')}-${at}`
}
