import { strToU8, Zip, ZipDeflate } from 'fflate'

/** Characters of a cell that spreadsheets read. ECMA-376 has no bound; that of Excel is the smallest. */
const CELL_CHARS_MAX = 32_767
/**
 * Control characters, most of which no XML may have, and texts that would be read as their escape. ECMA-376 part 1,
 * 22.9.2.19
 */
const ESCAPED = /(?![\t\n])\p{Cc}|[\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/giu
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
/** Cells of style 1 are texts, also once somebody has changed them; those of style 2 are headings. */
const TEXT = 1
const HEADING = 2

/** All parts but the sheet. ECMA-376 part 1, 12.3 */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types">
    <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
    <Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>
    <Override PartName="/xl/styles.xml" ContentType="${kind}.styles+xml"/>
    <Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/>
  </Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships">
    <Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>
  </Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">
    <sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>
  </workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships">
    <Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>
    <Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/>
  </Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}">
    <fonts count="2">
      <font><sz val="11"/><name val="Calibri"/></font>
      <font><b/><sz val="11"/><name val="Calibri"/></font>
    </fonts>
    <fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
    <borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
    <cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
    <cellXfs count="3">
      <xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
      <xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
      <xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>
    </cellXfs>
    <cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
  </styleSheet>`,
}

/**
 * Writes a workbook (`.xlsx`) of one sheet, piece by piece, as its rows come and its client takes it. Every cell is a
 * text: `00417` stays as it is, and nothing is run as a formula. A cell is cut after 32,767 characters, the most that
 * spreadsheets read.
 *
 * @param rows Pieces of rows; the first row has the headings. Each piece is written in one go.
 */
export async function* writeWorkbook(rows: AsyncIterable<readonly (readonly string[])[]>): AsyncGenerator<Uint8Array> {
  let [written, failure]: [Uint8Array[], Error | null] = [[], null]
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else written.push(chunk)
  })
  const taken = () => {
    if (failure !== null) throw failure
    const chunks = Buffer.concat(written)
    written = []
    return chunks
  }
  for (const [name, xml] of Object.entries(parts)) part(zip, name).push(strToU8(head + xml), true)
  const sheet = part(zip, 'xl/worksheets/sheet1.xml')
  let number = 0
  for await (const piece of rows) {
    const begin = number === 0 ? beginOf(piece[0]?.length ?? 0) : ''
    const lines = piece.map((cells) => {
      number += 1
      return rowOf(number, cells)
    })
    sheet.push(strToU8(begin + lines.join('')), false)
    yield taken()
  }
  sheet.push(strToU8(`${number === 0 ? beginOf(1) : ''}</sheetData></worksheet>`), true)
  zip.end()
  yield taken()
}

function part(zip: Zip, name: string): ZipDeflate {
  const made = new ZipDeflate(name, { level: 6 })
  zip.add(made)
  return made
}

/** The heading stays in view. */
function beginOf(columns: number): string {
  return `${head}<worksheet xmlns="${main}">
    <sheetViews><sheetView workbookViewId="0">
      <pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>
    </sheetView></sheetViews>
    <cols><col min="1" max="${Math.max(1, columns)}" width="24" style="${TEXT}" customWidth="1"/></cols>
    <sheetData>`
}

function rowOf(number: number, cells: readonly string[]): string {
  const style = number === 1 ? HEADING : TEXT
  const shown = cells.map((cell, at) =>
    cell === ''
      ? ''
      : `<c r="${columnName(at)}${number}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${textOf(cell)}</t></is></c>`,
  )
  return `<row r="${number}">${shown.join('')}</row>`
}

/** `A` to `Z`, `AA` and so on. @param at From 0 */
function columnName(at: number): string {
  const last = String.fromCharCode(65 + (at % 26))
  return at < 26 ? last : columnName(Math.floor(at / 26) - 1) + last
}

function textOf(cell: string): string {
  return cell
    .slice(0, CELL_CHARS_MAX)
    .toWellFormed()
    .replaceAll(ESCAPED, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll(/[&<>"]/g, (one) => MARKUP[one] ?? one)
}
