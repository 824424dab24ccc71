import { parentPort, workerData } from 'node:worker_threads'
import { Fault } from '../fault.ts'
import { parseTable } from './parse-table.ts'
import type { ReadRow, ReadTable, TableOptions } from './table.ts'

/** What a worker gets. */
export type Assignment = { readonly source: Uint8Array<ArrayBuffer>; readonly options: TableOptions }

/**
 * What a worker sends: the table in pieces, so that the main thread never has to take all of it at once; or why there
 * is none.
 */
export type Message =
  | { readonly kind: 'table'; readonly table: Omit<ReadTable, 'rows'> }
  | { readonly kind: 'rows'; readonly rows: readonly ReadRow[]; readonly isLast: boolean }
  | { readonly kind: 'refused'; readonly refusal: Pick<Fault, 'violations' | 'meta'> }

/** Cells and characters of a piece. */
const PIECE_CELLS = 5000
const PIECE_CHARS = 250_000

// The entry of a worker: it runs when the worker starts, and no module imports it but for its types.
if (parentPort !== null) run(parentPort)

function run(port: NonNullable<typeof parentPort>): void {
  // Given by `readTable`.
  const { source, options } = workerData as Assignment
  const send = (message: Message) => port.postMessage(message)
  try {
    const { rows, ...table } = parseTable(source, options)
    send({ kind: 'table', table })
    let at = 0
    port.on('message', () => {
      const end = endOfPiece(rows, at)
      send({ kind: 'rows', rows: rows.slice(at, end), isLast: end === rows.length })
      at = end
    })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    send({ kind: 'refused', refusal: { violations: error.violations, meta: error.meta } })
  }
}

function endOfPiece(rows: readonly ReadRow[], start: number): number {
  let [cells, chars, at] = [0, 0, start]
  while (at < rows.length && cells < PIECE_CELLS && chars < PIECE_CHARS) {
    for (const cell of rows[at]?.cells ?? []) chars += cell.length
    cells += rows[at]?.cells.length ?? 0
    at += 1
  }
  return at
}
