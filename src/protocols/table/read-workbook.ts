import { Fault } from '../../fault.ts'
import { tableFault } from './table-fault.ts'
import { brokenWorkbook, readPart, workbookParts } from './workbook-parts.ts'

/** The first sheet of a workbook. Numbers are as JSON writes them, dates as ISO 8601. */
type Sheet = { readonly name: string; readonly sheets: number; readonly rows: readonly (readonly string[])[] }

type Limits = { readonly rowsMax: number; readonly columnsMax: number }
/** What cells need from the other parts. */
type Book = {
  readonly strings: readonly string[]
  /** Of each style: whether a number in it is a date. */
  readonly dates: readonly boolean[]
  readonly days1904: number
}

const RELATIONS = 'xl/_rels/workbook.xml.rels'
const SMALL = new Set(['xl/workbook.xml', RELATIONS, 'xl/styles.xml', 'xl/sharedStrings.xml'])
const DAY_MS = 86_400_000
/** Number formats of dates and times that have no code in the file. ECMA-376 part 1, 18.8.30 */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58)

/** Whether bytes begin like an `.xlsx` workbook. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/**
 * Reads the first sheet of an `.xlsx` workbook. Formulas are not run: the value that was saved with them is read.
 *
 * @param limits Rows with the header; beyond them the workbook is refused.
 * @throws Fault `request.invalid` with the rule `kind`, `bytes`, `rows` or `columns`
 * @see [ECMA-376 part 1, 18](https://ecma-international.org/publications-and-standards/standards/ecma-376/)
 */
export function readWorkbook(bytes: Uint8Array, limits: Limits): Sheet {
  try {
    const parts = workbookParts(bytes, (name) => SMALL.has(name))
    const { sheets, days1904 } = sheetsOf(parts.get('xl/workbook.xml'))
    const [first] = sheets
    if (first === undefined) throw brokenWorkbook()
    const path = targetOf(parts.get(RELATIONS), first.relation)
    const sheet = workbookParts(bytes, (name) => name === path).get(path)
    if (sheet === undefined) throw brokenWorkbook()
    const strings = stringsOf(parts.get('xl/sharedStrings.xml'))
    const book = { strings, dates: dateStyles(parts.get('xl/styles.xml')), days1904 }
    return { name: first.name, sheets: sheets.length, rows: rowsOf(sheet, book, limits) }
  } catch (error) {
    // The libraries throw errors of their own for broken archives and XML.
    throw error instanceof Fault ? error : brokenWorkbook()
  }
}

function sheetsOf(xml: Buffer | undefined) {
  const sheets: { readonly name: string; readonly relation: string }[] = []
  let days1904 = 0
  readPart(xml, {
    open: (tag, { name = '', date1904, ...attributes }) => {
      // The days between 1900 and 1904, as spreadsheets count them.
      if (tag === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) days1904 = 1462
      const relation = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (tag === 'sheet' && relation !== undefined && sheets.length < 1000) sheets.push({ name, relation })
    },
  })
  return { sheets, days1904 }
}

function targetOf(xml: Buffer | undefined, relation: string): string {
  let found = ''
  readPart(xml, {
    open: (tag, { Id, Target = '' }) => {
      if (tag === 'Relationship' && Id === relation) found = Target
    },
  })
  return found.startsWith('/') ? found.slice(1) : `xl/${found}`
}

function stringsOf(xml: Buffer | undefined): string[] {
  const strings: string[] = []
  let [text, isText, isPhonetic] = ['', false, false]
  readPart(xml, {
    open: (tag) => {
      if (tag === 'si') text = ''
      if (tag === 'rPh') isPhonetic = true
      isText = tag === 't' && !isPhonetic
    },
    text: (more) => {
      if (isText) text += more
    },
    close: (tag) => {
      if (tag === 't') isText = false
      if (tag === 'rPh') isPhonetic = false
      if (tag === 'si') strings.push(text)
    },
  })
  return strings
}

function dateStyles(xml: Buffer | undefined): boolean[] {
  const own = new Map<string, boolean>()
  const styles: boolean[] = []
  let isOfCells = false
  readPart(xml, {
    open: (tag, { numFmtId = '0', formatCode = '' }) => {
      if (tag === 'numFmt') own.set(numFmtId, hasDatePart(formatCode))
      if (tag === 'cellXfs') isOfCells = true
      if (tag === 'xf' && isOfCells) styles.push(own.get(numFmtId) ?? isBuiltInDate(Number(numFmtId)))
    },
    close: (tag) => {
      if (tag === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

function rowsOf(xml: Buffer, book: Book, { rowsMax, columnsMax }: Limits): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = { at: 0, type: 'n', style: 0 }
  let [value, isValue] = ['', false]
  readPart(xml, {
    open: (tag, { r = '', t = 'n', s = '0' }) => {
      if (tag === 'row') {
        const at = r === '' ? rows.length : Number(r) - 1
        if (!(at < rowsMax))
          throw tableFault('rows', `The sheet must have at most ${rowsMax} rows.`, { limit: rowsMax })
        while (rows.length < at) rows.push([])
        row = []
      } else if (tag === 'c') {
        cell = { at: r === '' ? row.length : columnOf(r), type: t, style: Number(s) }
        value = ''
        const detail = `The sheet must have at most ${columnsMax} columns.`
        if (!(cell.at < columnsMax)) throw tableFault('columns', detail, { limit: columnsMax })
      } else isValue = tag === 'v' || tag === 't'
    },
    text: (more) => {
      if (isValue) value += more
    },
    close: (tag) => {
      if (tag === 'v' || tag === 't') isValue = false
      if (tag === 'c') {
        while (row.length < cell.at) row.push('')
        row[cell.at] = textOf(value, cell, book)
      }
      if (tag === 'row') rows.push(row)
    },
  })
  return rows
}

/** Whether a number format has a year, month or day outside `"text"`, `[conditions]` and characters after a backslash. */
function hasDatePart(formatCode: string): boolean {
  let end: string | null = null
  for (let at = 0; at < formatCode.length; at += 1) {
    const one = formatCode.charAt(at)
    if (end !== null) {
      if (one === end) end = null
    } else if (one === '"') end = '"'
    else if (one === '[') end = ']'
    else if (one === '\\') at += 1
    else if ('ymdYMD'.includes(one)) return true
  }
  return false
}

/** `B7` is 1. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]*/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function textOf(value: string, { type, style }: { readonly type: string; readonly style: number }, book: Book): string {
  if (type === 's') return book.strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : 'false'
  if (type !== 'n' || value === '') return value
  const number = Number(value)
  if (Number.isNaN(number)) return value
  return book.dates[style] === true ? dateOf(number + book.days1904) : String(number)
}

/** Day 60 of the count is a day that did not exist, 29 February 1900. */
function dateOf(days: number): string {
  const time = Math.round((days - (days < 61 ? 25_568 : 25_569)) * DAY_MS)
  if (!(Math.abs(time) < 8.64e15)) return String(days)
  const iso = new Date(time).toISOString()
  return Number.isInteger(days) ? iso.slice(0, 10) : iso.slice(0, 19)
}
