import { Fault } from '../fault.ts'
import { unreadableArchive } from './file-kind.ts'
import { numberFormats } from './number-formats.ts'
import type { ReadRow, ReadSheet, TableOptions } from './table.ts'
import { HEAD_ROWS, headingsIn } from './table-body.ts'
import { tableFault } from './table-fault.ts'
import { brokenWorkbook, partName, readPart, workbookParts } from './workbook-parts.ts'
import { type Book, RAW_CHARS_MAX, sheetRows, unescaped } from './workbook-sheet.ts'

/** The sheet that was chosen, with its rows that have content. */
type Workbook = { readonly rows: readonly ReadRow[]; readonly sheet: ReadSheet }
type Sheet = { readonly name: string; readonly path: string; readonly isHidden: boolean }
/** Parts that a part names, by their kind. */
type Relations = ReadonlyMap<string, { readonly kind: string; readonly path: string }>

const SHEETS_MAX = 1000
const RELATIONS_MAX = 5000
/** Texts that the sheets share: as many as a sheet has rows. */
const STRINGS_MAX = 1_048_576
/** Bytes and rows of a sheet among which its headings are looked for. */
const HEAD_BYTES = 65_536
/** ECMA-376 part 1, 18.3.1.13 */
const COLUMNS_OF_SHEET = 16_384
/** Parts that say what the others are. */
const isSmall = (name: string) => /(\.rels|\/?workbook\.xml|\/sharedstrings\.xml|\/styles\.xml)$/.test(name)

/**
 * Reads one sheet of an `.xlsx` workbook: the one that is named, else the first visible one with a heading of
 * `headings`, else the first visible one with rows. Rows that are hidden or filtered away are read.
 *
 * @throws Fault `request.invalid` with the rule `kind`, `bytes`, `sheet`, `rows`, `columns`, `cell`, `chars` or
 *   `effort`
 * @see [ECMA-376 part 1, 18](https://ecma-international.org/publications-and-standards/standards/ecma-376/)
 */
export function readWorkbook(bytes: Uint8Array, options: TableOptions): Workbook {
  const { found, names } = workbookParts(bytes, isSmall)
  const main = mainPart(found, names)
  const relations = relationsOf(found, main)
  const { sheets, is1904 } = sheetsOf(found.get(main), relations)
  const named = new Map([...found, ...furtherParts(bytes, found, relations)])
  const part = (kind: string) => named.get([...relations.values()].find((one) => one.kind === kind)?.path ?? '')
  const book = {
    strings: stringsOf(part('sharedstrings') ?? named.get('xl/sharedstrings.xml')),
    formats: numberFormats(part('styles') ?? named.get('xl/styles.xml')),
    is1904,
  }
  const sheet = chosenSheet(bytes, book, sheets, options)
  const xml = workbookParts(bytes, (name) => name === sheet.path).found.get(sheet.path)
  if (xml === undefined) throw brokenWorkbook()
  const { rowsMax, columnsMax } = options
  const { rows, hiddenRows } = sheetRows(xml, book, { rowsMax: rowsMax + 1, columnsMax })
  return { rows, sheet: { name: sheet.name, names: sheets.map(({ name }) => name), hiddenRows } }
}

/** The part that names the sheets, by the relations of the archive; some programs write none. */
function mainPart(found: ReadonlyMap<string, Buffer>, names: readonly string[]): string {
  const stated = [...relationsOf(found, '').values()].find(({ kind }) => kind === 'officedocument')?.path
  const main =
    stated !== undefined && found.has(stated) ? stated : names.find((name) => /(^|\/)workbook\.xml$/.test(name))
  if (main === undefined) throw unreadableArchive(names)
  return main
}

/** Strings and styles may have any name. */
function furtherParts(bytes: Uint8Array, found: ReadonlyMap<string, Buffer>, relations: Relations) {
  const wanted = [...relations.values()]
    .filter(({ kind, path }) => (kind === 'sharedstrings' || kind === 'styles') && !found.has(path))
    .map(({ path }) => path)
  return wanted.length === 0 ? [] : workbookParts(bytes, (name) => wanted.includes(name)).found
}

/**
 * Returns the relations of a part by their ids. The kind is the last step of its address, in the strict and in the
 * other namespace.
 */
function relationsOf(found: ReadonlyMap<string, Buffer>, part: string): Relations {
  const slash = part.lastIndexOf('/') + 1
  const [folder, file] = [part.slice(0, slash), part.slice(slash)]
  const relations = new Map<string, { kind: string; path: string }>()
  readPart(found.get(`${folder}_rels/${file}.rels`), {
    open: (tag, { Id = '', Type = '', Target = '' }) => {
      const kind = Type.slice(Type.lastIndexOf('/') + 1).toLowerCase()
      if (tag === 'Relationship' && relations.size < RELATIONS_MAX)
        relations.set(Id, { kind, path: pathOf(folder, Target) })
      return false
    },
  })
  return relations
}

function pathOf(folder: string, target: string): string {
  const plain = target.replaceAll('\\', '/')
  if (plain.startsWith('/')) return partName(plain)
  const steps: string[] = []
  for (const step of `${folder}${plain}`.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  }
  return partName(steps.join('/'))
}

function sheetsOf(xml: Buffer | undefined, relations: Relations) {
  const sheets: Sheet[] = []
  let is1904 = false
  readPart(xml, {
    open: (tag, { name = '', state = 'visible', date1904, ...attributes }) => {
      if (tag === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) is1904 = true
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      const relation = relations.get(id ?? '')
      // Charts and dialogs are sheets without cells.
      if (tag === 'sheet' && (relation?.kind === 'worksheet' || relation?.kind === '') && sheets.length < SHEETS_MAX)
        sheets.push({ name: unescaped(name), path: relation.path, isHidden: state !== 'visible' })
      return false
    },
  })
  return { sheets, is1904 }
}

function stringsOf(xml: Buffer | undefined): string[] {
  const strings: string[] = []
  let [text, isText, isPhonetic] = ['', false, false]
  readPart(xml, {
    open: (tag) => {
      if (tag === 'si') text = ''
      if (tag === 'rPh') isPhonetic = true
      isText = tag === 't' && !isPhonetic
      return false
    },
    text: (more) => {
      // What is longer than a cell may be is refused with the cell that has it.
      if (isText && text.length <= RAW_CHARS_MAX) text += more
    },
    close: (tag) => {
      if (tag === 't') isText = false
      if (tag === 'rPh') isPhonetic = false
      if (tag === 'si') strings.push(unescaped(text))
      if (strings.length > STRINGS_MAX)
        throw tableFault('effort', 'The workbook has too many texts.', { limit: STRINGS_MAX })
    },
  })
  return strings
}

function chosenSheet(bytes: Uint8Array, book: Book, sheets: readonly Sheet[], options: TableOptions): Sheet {
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const [first = sheets[0]] = visible
  if (first === undefined) throw brokenWorkbook()
  if (options.sheet !== undefined) {
    const named = sheets.find(({ name }) => name === options.sheet)
    if (named === undefined) throw tableFault('sheet', 'The workbook has no sheet of that name.')
    return named
  }
  if (visible.length < 2) return first
  const paths = new Set(visible.map(({ path }) => path))
  const heads = workbookParts(bytes, (name) => paths.has(name), HEAD_BYTES).found
  const known = new Set(options.headings)
  const fits = visible.map((sheet) => {
    const rows = headOf(heads.get(sheet.path), book)
    const headings = Math.max(0, ...rows.map(({ cells }) => headingsIn(cells, known)))
    return { sheet, headings, hasRows: rows.length > 1 && !rows.some(isOfSummary) }
  })
  const best = fits.reduce((one, other) => (other.headings > one.headings ? other : one))
  return best.headings > 0 ? best.sheet : (fits.find(({ hasRows }) => hasRows)?.sheet ?? first)
}

/** Numbers writes a sheet before the others that names each table and its sheet. */
function isOfSummary({ cells }: ReadRow): boolean {
  return cells.filter((cell) => /^numbers\b/i.test(cell)).length > 1 && cells.some((cell) => /^excel\b/i.test(cell))
}

/**
 * Returns the first rows of a sheet. What is beyond a bound, or broken, is refused when that sheet is read, not for the
 * sake of the others.
 */
function headOf(xml: Buffer | undefined, book: Book): readonly ReadRow[] {
  try {
    const limits = { rowsMax: HEAD_ROWS, columnsMax: COLUMNS_OF_SHEET, isHead: true }
    return xml === undefined ? [] : sheetRows(xml, book, limits).rows
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}
