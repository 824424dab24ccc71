import type { GivenBody } from '../../../contract/call.ts'
import type { credentialTemplates } from '../../../contract/issuance/credential-templates.ts'
import type { JsonObject } from '../../../crypto/json.ts'
import { numberIn } from '../../resource/fields.ts'
import { type AttributeRow, grammarOf, pointersOf } from './attribute-rows.ts'
import { type Draft, type Moment, statedLanguages } from './draft.ts'
import { furtherMembers } from './further-draft.ts'
import { plainName } from './made-names.ts'
import type { Span, Template } from './template.ts'

/** A template for the API, as it was typed. */
export type TemplateBody = GivenBody<typeof credentialTemplates.create>

/** Members of a template that the server sets, or that the form has. */
const ownMembers = new Set([
  'id',
  'type',
  'createdAt',
  'updatedAt',
  'archivedAt',
  'name',
  'code',
  'format',
  'docType',
  'revocable',
  'description',
  'attributes',
  'display',
  'validFrom',
  'validUntil',
  'signer',
  'batchSize',
  'approvalRequired',
  'txCode',
  'refill',
  'label',
  'keyAttestation',
  'attributeSource',
  'offerScheme',
])

/**
 * Returns the body for the API.
 *
 * @param base What is saved now, or what is copied: members that the form does not show stay.
 * @param isNew The code may be another one than that of the base.
 */
export function bodyOf(draft: Draft, base: Template | null, isNew: boolean): TemplateBody {
  const others = Object.entries(base ?? {}).filter(([name]) => !ownMembers.has(name))
  const [from, until] = [wire(draft.from, base?.validFrom), wire(draft.until, base?.validUntil)]
  const { signer, keyType, copies, refillDays, refillTimes } = draft
  const label = labelIn(draft, base?.label ?? [])
  return {
    ...Object.fromEntries(others),
    name: draft.name,
    code: isNew || base === null ? codeOf(draft) : base.code,
    format: draft.format,
    revocable: draft.isRevocable,
    ...(draft.description !== '' && { description: draft.description }),
    ...(draft.format === 'mdoc' && draft.docType !== '' && { docType: draft.docType }),
    ...(from !== undefined && { validFrom: from }),
    ...(until !== undefined && { validUntil: until }),
    ...(signer !== '' && { signer: { kind: signer, ...(keyType !== '' && { keyType }) } }),
    ...(copies !== '' && { batchSize: numberIn(copies) }),
    ...(refillDays + refillTimes !== '' && {
      refill: { days: numberIn(refillDays), ...(refillTimes !== '' && { times: numberIn(refillTimes) }) },
    }),
    ...(label.length > 0 && { label }),
    ...(draft.isApproved && { approvalRequired: true }),
    ...(draft.hasTxCode && { txCode: txCodeOf(draft) }),
    ...furtherMembers(draft.further),
    display: displayOf(draft),
    attributes: grammarOf(draft.rows, localesOf(draft)),
  }
}

/** What is named by before keeps its order: lists show the values in it. */
function labelIn({ rows }: Draft, before: readonly string[]): readonly string[] {
  const ticked = namedRows(rows, ({ isInLabel }) => isInLabel)
  return [...before.filter((one) => ticked.includes(one)), ...ticked.filter((one) => !before.includes(one))]
}

/** The pointers of some rows. One without a name is refused as such. */
function namedRows(rows: Draft['rows'], isAmong: (row: AttributeRow) => boolean): readonly string[] {
  const pointers = pointersOf(rows)
  return rows.flatMap((row, at) => (row.key !== '' && isAmong(row) ? (pointers[at] ?? []) : []))
}

function wire({ kind, count, unit, date }: Moment, kept: string | Span | undefined): TemplateBody['validUntil'] {
  return { none: undefined, span: { future: { [unit]: numberIn(count) } }, date, other: kept }[kind]
}

function txCodeOf({ txMode, txLength, txText }: Draft): JsonObject {
  const length = txLength === '' ? {} : { length: numberIn(txLength) }
  return { inputMode: txMode === 'text' ? 'text' : 'numeric', ...length, ...(txText !== '' && { description: txText }) }
}

/** Further languages by their tags. */
function localesOf({ languages }: Draft): readonly string[] {
  return languages.map(({ locale }) => locale)
}

function displayOf(draft: Draft): JsonObject {
  const translations = statedLanguages(draft).map(({ locale, name: own, about }) => {
    return { locale, name: own, ...(about !== '' && { description: about }) }
  })
  const line = namedRows(draft.rows, ({ isOnCard }) => isOnCard)
  const { logo, logoText, picture } = draft
  return {
    ...(draft.cardName !== '' && { name: draft.cardName }),
    ...(draft.cardAbout !== '' && { description: draft.cardAbout }),
    ...(draft.locale !== '' && { locale: draft.locale }),
    ...(translations.length > 0 && { translations }),
    ...(line.length > 0 && { cardLine: line }),
    ...(logo !== '' && { logo: { uri: logo, ...(logoText !== '' && { altText: logoText }) } }),
    ...(picture !== '' && { backgroundImage: { uri: picture } }),
    backgroundColor: draft.back,
    textColor: draft.ink,
  }
}

function codeOf({ code, name }: Draft): string {
  return code || plainName(name, '-') || 'card'
}
