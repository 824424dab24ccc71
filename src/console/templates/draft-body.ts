import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { numberIn } from '../resource/fields.ts'
import { type AttributeRow, grammarOf, pointersOf } from './content/attribute-rows.ts'
import { plainName } from './content/made-names.ts'
import { sourceMembers } from './content/source-draft.ts'
import type { Span, Template } from './content/template.ts'
import { type Draft, type Moment, statedLanguages } from './draft.ts'
import { plainText, templateFields } from './fields.ts'

/** A template for the API, as it was typed. */
export type TemplateBody = JsonObject & {
  readonly label?: readonly string[]
  readonly display: { readonly cardLine?: readonly string[] }
}

/** Members that the server sets. */
const ofServer = ['id', 'type', 'createdAt', 'updatedAt', 'archivedAt']

/**
 * Returns the body for the API.
 *
 * @param base What is saved now, or what is copied: members that the form does not show stay.
 * @param isNew The code may be another one than that of the base.
 */
export function bodyOf(draft: Draft, base: Template | null, isNew: boolean): TemplateBody {
  const known = [...ofServer, ...Object.keys(credentialTemplates.create.body.properties)]
  const others = Object.entries(base ?? {}).filter(([name]) => !known.includes(name))
  const [from, until] = [wire(draft.from, base?.validFrom), wire(draft.until, base?.validUntil)]
  const label = labelIn(draft, base?.label ?? [])
  const { docType = null, display = {}, ...plain } = templateFields.body(draft.plain)
  return {
    ...Object.fromEntries(others),
    ...plain,
    code: isNew || base === null ? codeOf(draft) : base.code,
    format: draft.format,
    ...(draft.format === 'mdoc' && docType !== null && { docType }),
    ...(from !== undefined && { validFrom: from }),
    ...(until !== undefined && { validUntil: until }),
    ...(label.length > 0 && { label }),
    ...sourceMembers(draft.source),
    display: displayOf(draft, isJsonObject(display) ? display : {}),
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

function wire({ kind, count, unit, date }: Moment, kept: string | Span | undefined): Json | undefined {
  return { none: undefined, span: { future: { [unit]: numberIn(count) } }, date, other: kept as Json | undefined }[kind]
}

/** Further languages by their tags. */
function localesOf({ languages }: Draft): readonly string[] {
  return languages.map(({ locale }) => locale)
}

/** The words of a logo are sent with it only. */
function displayOf(draft: Draft, { logo: words, ...plain }: JsonObject): JsonObject {
  const translations = statedLanguages(draft).map(({ locale, name: own, about }) => {
    return { locale, name: own, ...(about !== '' && { description: about }) }
  })
  const line = namedRows(draft.rows, ({ isOnCard }) => isOnCard)
  const { logo, picture } = draft
  return {
    ...plain,
    ...(translations.length > 0 && { translations }),
    ...(line.length > 0 && { cardLine: line }),
    ...(logo !== '' && { logo: { uri: logo, ...(isJsonObject(words ?? null) && (words as JsonObject)) } }),
    ...(picture !== '' && { backgroundImage: { uri: picture } }),
  }
}

function codeOf(draft: Draft): string {
  return plainText(draft, 'code') || plainName(plainText(draft, 'name'), '-') || 'card'
}
