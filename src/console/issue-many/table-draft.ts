import type { ReadRow, TableForm } from '../../tables/table.ts'
import type { Reach, RecipientChoice } from '../recipients/recipient-choice.ts'
import type { ColumnGuess } from '../templates/content/guessed-columns.ts'

/** Rows that are sealed and kept together. */
export const PART_ROWS = 1000
/** Rows of a table. */
export const ROWS_MAX = 10_000
/** Columns of a table. */
export const COLUMNS_MAX = 100
/**
 * What is wrong with a row: in a column, or null for the row; the attribute's target; the API's English, and the rule
 * that it names.
 */
export type RowProblem = {
  readonly column: number | null
  readonly target: string
  readonly detail: string
  readonly rule?: string
}

/**
 * A row, what is wrong with it, and the number of the first row that says the same. `isHeld`: a card with its reference
 * can be replaced. `hasNoAccount`: nobody in the organisation has its recipient; where such people are invited, that is
 * no problem.
 */
export type TableRow = ReadRow & {
  readonly problems: readonly RowProblem[]
  readonly isIssued: boolean
  readonly sameAs?: number
  readonly isHeld?: boolean
  readonly hasNoAccount?: boolean
}

/** What a page needs of a draft: everything but the rows. */
export type DraftView = {
  readonly name: string
  /** `''`: none was chosen, as none fits. */
  readonly templateId: string
  readonly header: readonly string[]
  /** Of each column: the first cell that is not empty. */
  readonly examples: readonly string[]
  readonly form: TableForm
  /** Of each column: what it becomes; `''`: left out. */
  readonly mapping: readonly string[]
  /** Who gets the cards, and how; absent until a person has chosen it. */
  readonly recipients?: RecipientChoice
  /** How many it reaches. */
  readonly reach?: Reach
  /** Of each column: what it becomes on a new card, where one was proposed. */
  readonly guesses?: readonly ColumnGuess[]
  /** Targets that every row needs and that no column has. */
  readonly missing: readonly string[]
  /** Places of the rows with problems, from 0. */
  readonly bad: readonly number[]
  /** Numbers of rows that say the same as an earlier one: the first of them, and how many there are. */
  readonly twins: { readonly listed: readonly (readonly [number, number])[]; readonly count: number }
  /** Rows to issue whose people have a card already, and whether it is replaced. */
  readonly held?: number
  readonly replacesHeld?: boolean
  /** Of the offers. */
  readonly lifetimeSeconds: number
  readonly total: number
  readonly issued: number
  /** Batches that were made of it. */
  readonly batches: readonly string[]
}

/** The parts of a table. */
export function partsOf<T>(rows: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / PART_ROWS) }, (_, part) =>
    rows.slice(part * PART_ROWS, (part + 1) * PART_ROWS),
  )
}
