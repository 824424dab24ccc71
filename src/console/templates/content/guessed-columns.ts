import { isMailAddress } from '../../../mail-address.ts'
import { isDash, isErrorValue, readBoolean, readDate, readNumber } from '../../../tables/cell-values.ts'
import type { ReadRow, TableForm } from '../../../tables/table.ts'
import { type AttributeRow, emptyRow } from './attribute-rows.ts'
import { type ColumnRole, columnRole, namesThings } from './column-names.ts'
import { withMadeKeys } from './made-names.ts'

/** Kinds of values that a column can have. */
export const columnKinds = ['string', 'number', 'date', 'boolean'] as const
type ColumnKind = (typeof columnKinds)[number]

/** What a column of a table becomes on a new card, and why. */
export type ColumnGuess = {
  /** Null: nothing on the card. */
  readonly kind: ColumnKind | null
  /**
   * Why: `cells` are of the kind, of which {@link fitting} of {@link filled}; the heading (`number`) or zeros in front
   * (`zeros`) show that figures are no amount; the cells have nothing (`empty`); or the role of the column, of which
   * `mail` is also shown by cells that are addresses, and `validity` needs cells that are dates.
   */
  readonly why:
    | 'cells'
    | 'number'
    | 'zeros'
    | 'empty'
    | 'validity'
    | Exclude<ColumnRole, 'person' | 'other' | 'validFrom' | 'validUntil'>
  readonly filled: number
  readonly fitting: number
  /** Of a number: none has decimals. */
  readonly isWhole: boolean
  /** Every row has it. */
  readonly isRequired: boolean
  /** Every row has the same: it tells nothing about the person, and is always shown. */
  readonly isAlways: boolean
  /** It names the card in lists. */
  readonly isInLabel: boolean
}

type Table = {
  readonly header: readonly string[]
  readonly rows: readonly ReadRow[]
  readonly form: Pick<TableForm, 'decimal' | 'dates' | 'isSure'>
}

/** What was counted in a column. */
type Tally = {
  filled: number
  dates: number
  numbers: number
  decimals: number
  yes: number
  no: number
  /** Yes and no in words of several letters. */
  words: number
  zeros: number
  mails: number
  readonly values: Set<string>
}

/** Of the cells that have something: of a repair or two nobody makes all of them texts. */
const MOST = 0.9
/** Figures as one text, in every row another one: they name something. */
const NAMING_DIGITS = 5
/** As many attributes as the API takes to name a card. */
const NAMING_MAX = 3
/** Cells that are read before other requests get their turn. */
const CELLS_PER_TURN = 2000
const VALUE_CHARS_MAX = 40
/** A sameness of fewer rows is chance. */
const SAME_ROWS_MIN = 3

/** Guesses what the columns of a table become on a new card. Takes its time in pieces. */
export async function guessColumns({ header, rows, form }: Table): Promise<readonly ColumnGuess[]> {
  const tallies = header.map((): Tally => {
    const none = { filled: 0, dates: 0, numbers: 0, decimals: 0, yes: 0, no: 0, words: 0, zeros: 0, mails: 0 }
    return { ...none, values: new Set() }
  })
  const rowsPerTurn = Math.max(1, Math.floor(CELLS_PER_TURN / Math.max(1, header.length)))
  for (const [at, row] of rows.entries()) {
    for (const [column, tally] of tallies.entries()) count(tally, row, column, form)
    if (at % rowsPerTurn === 0) await new Promise(setImmediate)
  }
  const guesses = header.map((heading, column) => guessOf(heading, tallies[column], rows.length))
  return named(header, tallies, withValidity(header, withOneReference(guesses)))
}

function count(tally: Tally, { cells, values }: ReadRow, column: number, form: Table['form']): void {
  const cell = cells[column] ?? ''
  if (cell === '' || isDash(cell) || isErrorValue(cell)) return
  tally.filled += 1
  tally.values.add(cell.slice(0, VALUE_CHARS_MAX))
  if (isMailAddress(cell)) tally.mails += 1
  if (cell.length > VALUE_CHARS_MAX) return
  const meant = values?.[column]
  if (/^0\d/.test(cell)) tally.zeros += readDate(cell).kind === 'none' ? 1 : 0
  const date = readDate(meant ?? cell, form.isSure ? form.dates : undefined).kind
  if (date === 'date' || date === 'ambiguous' || date === 'no_day') {
    tally.dates += 1
    return
  }
  const number = cell.endsWith('%') ? null : readNumber(meant ?? cell, meant === undefined ? form.decimal : 'point')
  if (number !== null) tally.numbers += 1
  if (number !== null && !Number.isInteger(number)) tally.decimals += 1
  const isYes = /^[01]$/.test(cell) ? null : readBoolean(cell)
  if (isYes === null) return
  tally[isYes ? 'yes' : 'no'] += 1
  if (cell.length > 1) tally.words += 1
}

function guessOf(heading: string, tally: Tally | undefined, rows: number): ColumnGuess {
  const { filled = 0, values = new Set<string>() } = tally ?? {}
  const isRequired = filled === rows
  const isAlways = isRequired && rows >= SAME_ROWS_MIN && values.size === 1
  const one = { filled, fitting: 0, isWhole: false, isRequired, isAlways, isInLabel: false }
  if (tally === undefined || filled === 0) return { ...one, kind: null, why: 'empty' }
  const named = columnRole(heading)
  const role = named === 'other' && tally.mails >= filled * MOST ? 'mail' : named
  const isCounting = tally.numbers === filled && tally.decimals === 0 && values.size === filled
  if (role === 'count' && heading !== '' && !isCounting) return { ...one, ...kindOf(heading, tally) }
  const isOnCard = role === 'person' || role === 'other' || role === 'validFrom' || role === 'validUntil'
  return isOnCard ? { ...one, ...kindOf(heading, tally) } : { ...one, kind: null, why: role }
}

function kindOf(heading: string, tally: Tally): Pick<ColumnGuess, 'kind' | 'why' | 'fitting' | 'isWhole'> {
  const { filled, dates, numbers, decimals, yes, no, words, zeros, values } = tally
  const most = filled * MOST
  const isWhole = decimals === 0
  const asText = (why: ColumnGuess['why']) => ({ kind: 'string', why, fitting: filled, isWhole: false }) as const
  if (dates >= most) return { kind: 'date', why: 'cells', fitting: dates, isWhole: false }
  if (zeros > 0 && numbers + zeros >= most) return asText('zeros')
  if (numbers >= most) {
    const lengths = new Set([...values].map((value) => value.length))
    const [length = 0] = lengths
    const isNaming = isWhole && values.size === filled && filled > 1 && lengths.size === 1 && length >= NAMING_DIGITS
    return isNaming || namesThings(heading)
      ? asText('number')
      : { kind: 'number', why: 'cells', fitting: numbers, isWhole }
  }
  if (yes + no >= most && (words > 0 || (yes > 0 && no > 0)))
    return { kind: 'boolean', why: 'cells', fitting: yes + no, isWhole: false }
  return asText('cells')
}

/** A card has one reference; further numbers of the person stand on it. */
function withOneReference(guesses: readonly ColumnGuess[]): readonly ColumnGuess[] {
  const first = guesses.findIndex(({ why }) => why === 'reference')
  return guesses.map((one, at) =>
    one.why === 'reference' && at !== first ? { ...one, kind: 'string', why: 'number', fitting: one.filled } : one,
  )
}

/** A card begins and ends once; further such dates stand on it. */
function withValidity(header: readonly string[], guesses: readonly ColumnGuess[]): readonly ColumnGuess[] {
  const isDay = (role: ColumnRole) => (heading: string, at: number) =>
    columnRole(heading) === role && guesses[at]?.kind === 'date'
  const days = [header.findIndex(isDay('validFrom')), header.findIndex(isDay('validUntil'))]
  return guesses.map((one, at) => (days.includes(at) ? { ...one, kind: null, why: 'validity' } : one))
}

/** The columns that name people name the card; else the first text that differs from row to row. */
function named(
  header: readonly string[],
  tallies: readonly Tally[],
  guesses: readonly ColumnGuess[],
): readonly ColumnGuess[] {
  const onCard = guesses.flatMap(({ kind }, at) => (kind === null ? [] : [at]))
  const people = onCard.filter((at) => columnRole(header[at] ?? '') === 'person').slice(0, NAMING_MAX)
  const telling = onCard.find((at) => guesses[at]?.kind === 'string' && isTelling(tallies[at]))
  const chosen = people.length > 0 || telling === undefined ? people : [telling]
  return guesses.map((one, at) => (chosen.includes(at) ? { ...one, isInLabel: true, isAlways: false } : one))
}

function isTelling(tally: Tally | undefined): boolean {
  return tally !== undefined && tally.values.size >= tally.filled * MOST
}

/** What a person has chosen of a column: the kind, or null to leave it out. */
export type ColumnChoice = Pick<ColumnGuess, 'kind' | 'isAlways' | 'isInLabel' | 'isRequired'>

/**
 * Returns the attributes of a card that a table is issued as, with the column of each. What names the card stands on
 * it.
 *
 * @param names What people see, by column
 */
export function rowsOfColumns(
  names: readonly string[],
  choices: readonly ColumnChoice[],
): readonly { readonly column: number; readonly row: AttributeRow }[] {
  const chosen = choices.flatMap(({ kind, ...ticks }, column) =>
    kind === null ? [] : [{ column, row: { ...emptyRow, ...ticks, name: names[column] ?? '', type: kind } }],
  )
  const rows = withMadeKeys(chosen.map(({ row }) => ({ ...row, isOnCard: row.isInLabel })))
  return chosen.map(({ column }, at) => ({ column, row: rows[at] ?? emptyRow }))
}
