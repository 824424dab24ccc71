import { strToU8, type Zippable, zipSync } from 'fflate'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A sheet of a workbook: the rows in its XML. */
export type ASheet = { readonly name?: string; readonly state?: string; readonly rows: string }

type Parts = {
  readonly sheets: readonly ASheet[]
  /** The shared strings, each as the XML inside of its `si`. */
  readonly strings?: readonly string[]
  /** Format codes by their numbers; cells of style 1 have the first number, and so on. */
  readonly formats?: readonly (readonly [id: number, code?: string])[]
  readonly is1904?: boolean
  /** Parts that replace others, or are added. */
  readonly more?: Zippable
}

/** Makes a workbook with few parts, as other programs write it. */
export function aWorkbook({ sheets, strings = [], formats = [], is1904 = false, more = {} }: Parts): Uint8Array {
  const names = sheets.map(
    ({ name, state = 'visible' }, at) =>
      `<sheet name="${name ?? `Sheet${at + 1}`}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
  )
  const relations = sheets.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
  const others = [relation('rIdS', 'styles', 'styles.xml'), relation('rIdT', 'sharedStrings', 'sharedStrings.xml')]
  const codes = formats.flatMap(([id, code]) =>
    code === undefined ? [] : [`<numFmt numFmtId="${id}" formatCode="${escaped(code)}"/>`],
  )
  const styles = [0, ...formats.map(([id]) => id)].map((id) => `<xf numFmtId="${id}"/>`)
  return zipSync({
    '_rels/.rels': xml('Relationships', relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': xml(
      `workbook xmlns="${main}" xmlns:r="${office}"`,
      `<workbookPr date1904="${is1904}"/><sheets>${names.join('')}</sheets><extLst><x:workbookPr/></extLst>`,
    ),
    'xl/_rels/workbook.xml.rels': xml('Relationships', [...relations, ...others].join('')),
    'xl/styles.xml': xml(
      'styleSheet',
      `<numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
        `<cellXfs>${styles.join('')}</cellXfs>`,
    ),
    'xl/sharedStrings.xml': xml('sst', strings.map((one) => `<si>${one}</si>`).join('')),
    ...Object.fromEntries(
      sheets.map(({ rows }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        xml('worksheet', `<sheetData>${rows}</sheetData>`),
      ]),
    ),
    ...more,
  })
}

/** Returns the XML of rows of texts, with references left out. */
export function rowsOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`
  return rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')
}

function relation(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`
}

function xml(element: string, content: string): Uint8Array {
  return strToU8(`<?xml version="1.0"?>\n<${element}>${content}</${element.split(' ', 1)[0]}>`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
