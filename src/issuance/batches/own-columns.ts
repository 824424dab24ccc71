import { replacementTimes } from '../../contract/issuance/issuances.ts'
import { ADDRESS_CHARS_MAX } from '../../contract/issuance/offer-mails.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'
import { endOfDay, startOfDay } from '../../memory/day-bounds.ts'
import { type DateOrder, isErrorValue, readDate } from '../../tables/cell-values.ts'
import { isUuid } from '../../uuid.ts'
import { whyNoDate } from '../templates/attributes/check-claims.ts'
import type { BatchItemInput, UnusableCell } from './accept-batch.ts'

/** Columns other than attributes, with the maximum length of their cells. */
export const ownColumns = {
  reference: 200,
  'recipient.identifierType': 40,
  'recipient.value': 512,
  'mail.address': ADDRESS_CHARS_MAX,
  'mail.language': 40,
  validFrom: 40,
  validUntil: 40,
  'replaces.reference': 200,
  'replaces.id': 40,
  'replaces.revoke': 40,
} as const

/** Name of a column that is no attribute. */
export type Own = keyof typeof ownColumns

/** A cell of such a column that is not empty. `column`: from 1. `meant`: a date as its program writes it. */
export type OwnCell = {
  readonly name: Own
  readonly column: number
  readonly cell: string
  readonly meant: string
}

/** How cells are read that are no attributes. `timeZone`: in which a day begins and ends. */
type OwnReading = { readonly dates: DateOrder | undefined; readonly timeZone: string }
/** What the cells of a row say, by column. */
type OwnTexts = { [name in Own]?: string }
type OwnMembers = Omit<BatchItemInput, 'attributes' | 'row' | 'keptCells' | 'unusable'>

const types = ['email', 'username', 'externalIdentifier'] as const
/** A time with its offset, as in JSON. [RFC 3339] */
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** Whether a name is one of {@link ownColumns}. */
export function isOwn(name: string): name is Own {
  return Object.hasOwn(ownColumns, name)
}

/** Returns the members of an item that are no attributes, and the cells that cannot be used. */
export function ownMembers(
  cells: readonly OwnCell[],
  reading: OwnReading,
): OwnMembers & { readonly unusable: readonly UnusableCell[] } {
  const texts: OwnTexts = {}
  const unusable: UnusableCell[] = []
  for (const one of cells) {
    const read = readOwn(one, reading)
    if ('text' in read) texts[one.name] = read.text
    else unusable.push({ column: one.column, violation: read })
  }
  const isRead = (member: string) =>
    unusable.every(({ violation }) => violation.pointer?.startsWith(`/${member}/`) !== true)
  const recipient = isRead('recipient') ? recipientOf(texts) : null
  if (recipient !== null && 'violation' in recipient) unusable.push(recipient)
  const { reference, validFrom, validUntil, 'mail.address': address, 'mail.language': language } = texts
  const replaces = isRead('replaces') ? replacesOf(texts) : undefined
  return {
    unusable,
    ...(reference !== undefined && { reference }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validUntil !== undefined && { validUntil }),
    ...(replaces !== undefined && { replaces }),
    ...(recipient !== null && 'value' in recipient && { recipient }),
    ...(address !== undefined && {
      mail: { address, ...(language !== undefined && { language: language.toLowerCase() }) },
    }),
  }
}

/** Returns what a cell says, or what is wrong with it. */
function readOwn({ name, cell, meant }: OwnCell, reading: OwnReading): { readonly text: string } | Violation {
  const pointer = pointerOf(name)
  if (isErrorValue(cell)) return { detail: `${name} is an error value of the spreadsheet.`, pointer }
  const limit = ownColumns[name]
  if (cell.length > limit)
    return { detail: `${name} must have at most ${limit} characters.`, pointer, rule: 'maxLength', limit }
  if (name === 'validFrom' || name === 'validUntil') {
    const moment = momentOf(name, meant, reading)
    if (moment !== null) return { text: moment }
    return { detail: `${name} must be a date such as 2026-01-31${whyNoDate(meant)}.`, pointer, rule: 'format' }
  }
  if (name === 'replaces.id' && !isUuid(cell)) return { detail: `${name} must be a UUID.`, pointer, rule: 'format' }
  if (name === 'replaces.revoke' && !replacementTimes.some((one) => one === cell))
    return { detail: `${name} must be one of: ${replacementTimes.join(', ')}.`, pointer, rule: 'enum' }
  return { text: cell }
}

/** Returns the moment of a cell: a day begins and ends in the time zone of the organisation. Null: it has none. */
function momentOf(name: 'validFrom' | 'validUntil', cell: string, { dates, timeZone }: OwnReading): string | null {
  const [, day] = TIME.exec(cell) ?? []
  if (day !== undefined) return readDate(day).kind === 'date' && isMoment(cell) ? cell : null
  const found = readDate(cell, dates)
  if (found.kind !== 'date') return null
  return (name === 'validFrom' ? startOfDay(found.iso, timeZone) : endOfDay(found.iso, timeZone)) ?? null
}

function isMoment(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}

function pointerOf(name: Own): string {
  return name.split('.').reduce(pointerTo, '')
}

function recipientOf(texts: OwnTexts): RecipientIdentifier | UnusableCell | null {
  const { 'recipient.identifierType': type, 'recipient.value': value } = texts
  if (type === undefined && value === undefined) return null
  const identifierType = types.find((one) => one === type)
  if (identifierType !== undefined && value !== undefined) return { identifierType, value }
  const [name, detail] =
    value === undefined
      ? (['recipient.value', 'is missing.'] as const)
      : (['recipient.identifierType', `must be one of: ${types.join(', ')}.`] as const)
  return { column: null, violation: { detail: `${name} ${detail}`, pointer: pointerOf(name) } }
}

function replacesOf(texts: OwnTexts): BatchItemInput['replaces'] {
  const { 'replaces.reference': reference, 'replaces.id': id } = texts
  const revoke = replacementTimes.find((one) => one === texts['replaces.revoke'])
  if (reference === undefined && id === undefined && revoke === undefined) return undefined
  return {
    ...(id !== undefined && { id }),
    ...(reference !== undefined && { reference }),
    ...(revoke !== undefined && { revoke }),
  }
}
