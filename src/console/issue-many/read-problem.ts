import { Fault } from '../../fault.ts'
import { readTable } from '../../tables/read-table.ts'
import type { ReadTable, TableOptions } from '../../tables/table.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import { COLUMNS_MAX, ROWS_MAX } from './table-draft.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/**
 * Returns the table in a file, or what is wrong with it in words.
 *
 * @param names Those that columns may have
 */
export async function tableOrProblem(
  frame: KeepingFrame,
  names: Pick<TableOptions, 'headings' | 'required'>,
  bytes: Uint8Array,
  chosen: Pick<TableOptions, 'encoding' | 'delimiter' | 'sheet' | 'headerRow' | 'isWhole'> = {},
): Promise<ReadTable | { readonly problem: string }> {
  const { own, me, language } = frame
  const t = tableTexts[language]
  const bounds = { rowsMax: ROWS_MAX, columnsMax: COLUMNS_MAX, cells: 'tidied' } as const
  try {
    return await readTable(own, me.organisation.id, bytes, { ...bounds, ...chosen, ...names })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === 'request.rate_limited') return { problem: t.reading }
    if (error.meta?.rule === undefined) throw error
    const { rule, row } = error.meta
    // One of the rules of `tableFault`.
    const text = t.rules[rule as keyof TableTexts['rules']]
    return { problem: typeof row === 'number' ? t.atRow(row, text) : text }
  }
}
