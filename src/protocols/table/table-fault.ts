import { Fault } from '../../fault.ts'

/** What is wrong with a table as a whole. `kind`: it is no table of a known format. */
export type TableRule =
  | 'kind'
  | 'encoding'
  | 'empty'
  | 'rows'
  | 'columns'
  | 'cell'
  | 'width'
  | 'quotes'
  | 'header'
  | 'bytes'

/** Where it is wrong, from 1, and the limit that is exceeded. */
type TablePlace = { readonly row?: number; readonly column?: number; readonly limit?: number }

/** Returns the fault for a table as a whole: `request.invalid`, with `rule` and its place in `meta`. */
export function tableFault(rule: TableRule, detail: string, place: TablePlace = {}): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer: '' }], meta: { rule, ...place } })
}
