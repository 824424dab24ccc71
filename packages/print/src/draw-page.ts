import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import type { Mark, PrintedPage, TextMark } from '../../../src/print/printed-page.ts'
import type { Fonts } from './open-fonts.ts'
import { breakLines, runsOf, startsAtRight, type TextRun } from './text-lines.ts'

/** Points of a millimetre. */
const MM = 72 / 25.4
/** Distance of two lines, by the size of the font. */
const LEADING = 1.35
/** From the upper edge of a line to its letters' foot. */
const ASCENT = 1.05
const RULE_COLOR = '#c8ccd4'

/** A document that is being drawn. */
export type Drawing = {
  readonly document: PDFKit.PDFDocument
  readonly fonts: Fonts
  /** Null: it cannot be read. */
  readonly pictures: readonly (PDFKit.Mixins.ImageSrc | null)[]
}

/** Begins a document. It has no page yet. */
export function beginDocument(title: string, language: string): PDFKit.PDFDocument {
  return new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    lang: language,
    displayTitle: true,
    info: { Title: title },
    // PDFKit opens its default font otherwise, which is not embedded.
    font: '',
  })
}

/** Adds a page to a document. */
export async function drawPage(drawing: Drawing, page: PrintedPage): Promise<void> {
  for (const mark of page) if (mark.kind === 'text') await drawing.fonts.load(`${mark.text}…`, mark.isBold === true)
  drawing.document.addPage()
  for (const mark of page) draw(drawing, mark)
}

function draw(drawing: Drawing, mark: Mark): void {
  const { document, pictures } = drawing
  if (mark.kind === 'text') drawText(drawing, mark)
  else if (mark.kind === 'qr') drawQr(document, mark)
  else if (mark.kind === 'rule')
    document
      .moveTo(mark.x * MM, mark.y * MM)
      .lineTo((mark.x + mark.width) * MM, mark.y * MM)
      .lineWidth(0.5)
      .stroke(RULE_COLOR)
  else {
    const picture = pictures[mark.picture] ?? null
    const fit: [number, number] = [mark.width * MM, mark.height * MM]
    if (picture !== null) document.image(picture, mark.x * MM, mark.y * MM, { fit })
  }
}

/** As dark rectangles: one for each sequence of dark modules of a row. On a screen it is a link. */
function drawQr(document: PDFKit.PDFDocument, { text, x, y, size }: Extract<Mark, { kind: 'qr' }>): void {
  const { data, size: modules } = encode(text, { ecc: 'M', border: 4 })
  const side = (size * MM) / modules
  for (const [row, cells] of data.entries()) {
    for (let from = 0; from < modules; ) {
      const end = cells.indexOf(!cells[from], from)
      const to = end === -1 ? modules : end
      if (cells[from] === true) document.rect(x * MM + from * side, y * MM + row * side, (to - from) * side, side)
      from = to
    }
  }
  document.fill('#000')
  document.link(x * MM, y * MM, size * MM, size * MM, text)
}

function drawText(drawing: Drawing, mark: TextMark): void {
  const { document, fonts } = drawing
  const { isBold = false, size } = mark
  const [width, isRightToLeft] = [mark.width * MM, startsAtRight(mark.text)]
  const runWidth = ({ slice, text, isRightToLeft: isReversed }: TextRun) =>
    use(drawing, slice, isBold, size).widthOfString(text, optionsOf(isReversed))
  const widthOf = (text: string) =>
    fonts.split(text).reduce((sum, run) => sum + runWidth({ ...run, isRightToLeft: false }), 0)
  document.fillColor(mark.color)
  for (const [at, line] of breakLines(mark.text, width, mark.linesMax, widthOf).entries()) {
    const runs = runsOf(line, isRightToLeft, fonts)
    const widths = runs.map(runWidth)
    const free = width - widths.reduce((sum, one) => sum + one, 0)
    let left = mark.x * MM + (mark.align === 'center' ? free / 2 : isRightToLeft ? free : 0)
    const foot = mark.y * MM + (ASCENT + at * LEADING) * size
    for (const [place, run] of runs.entries()) {
      const options = { ...optionsOf(run.isRightToLeft), lineBreak: false, baseline: 'alphabetic' } as const
      use(drawing, run.slice, isBold, size).text(run.text, left, foot, options)
      left += widths[place] ?? 0
    }
  }
}

function use({ document, fonts }: Drawing, slice: string, isBold: boolean, size: number): PDFKit.PDFDocument {
  const name = `${slice} ${isBold}`
  registered(document, name, () => fonts.fontOf(slice, isBold))
  return document.font(name, size)
}

const known = new WeakMap<PDFKit.PDFDocument, Set<string>>()

function registered(document: PDFKit.PDFDocument, name: string, font: () => object): void {
  const names = known.get(document) ?? new Set()
  known.set(document, names)
  if (names.has(name)) return
  names.add(name)
  // PDFKit takes an opened font too, which its types do not say.
  document.registerFont(name, font() as unknown as PDFKit.Mixins.PDFFontSource)
}

/** With features PDFKit lays a run out as a whole, which joins letters across its words; without, word by word. */
function optionsOf(isRightToLeft: boolean): { readonly features?: [] } {
  return isRightToLeft ? { features: [] } : {}
}
