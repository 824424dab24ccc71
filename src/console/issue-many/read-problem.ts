import { Fault } from '../../fault.ts'
import { readTable } from './read-table.ts'
import type { ReadTable } from './table-draft.ts'
import type { TableTexts } from './texts.ts'

/** Returns the table in a file, or what is wrong with it in words. */
export function tableOrProblem(
  bytes: Uint8Array,
  t: TableTexts,
  chosen: Parameters<typeof readTable>[1] = {},
): ReadTable | { readonly problem: string } {
  try {
    return readTable(bytes, chosen)
  } catch (error) {
    if (!(error instanceof Fault) || error.meta?.rule === undefined) throw error
    const { rule, row } = error.meta
    // One of the rules of `tableFault`.
    const text = t.rules[rule as keyof TableTexts['rules']]
    return { problem: typeof row === 'number' ? t.atRow(row, text) : text }
  }
}
