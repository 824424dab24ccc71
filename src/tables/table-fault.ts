import { Fault } from '../fault.ts'

/**
 * What is wrong with a table as a whole. `kind`: it is no table of a known format; those after it are formats that are
 * known but not read. `bytes`: the file, or what comes out of it; `chars`: all cells; `effort`: the memory or the time
 * that reading it would take.
 */
export type TableRule =
  | 'kind'
  | 'web_page'
  | 'xml'
  | 'old_workbook'
  | 'binary_workbook'
  | 'open_document'
  | 'protected'
  | 'encoding'
  | 'empty'
  | 'sheet'
  | 'rows'
  | 'columns'
  | 'cell'
  | 'chars'
  | 'width'
  | 'quotes'
  | 'header'
  | 'bytes'
  | 'effort'

/** Where it is wrong, from 1, and the limit that is exceeded. */
type TablePlace = { readonly row?: number; readonly column?: number; readonly limit?: number }

/**
 * Returns the fault for a table as a whole: `request.invalid`, with `rule` and its place in `meta`. @param cause Only
 * logged
 */
export function tableFault(rule: TableRule, detail: string, place: TablePlace = {}, cause?: unknown): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer: '' }], meta: { rule, ...place }, cause })
}
