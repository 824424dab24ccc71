import { MUTED, PAGE_LEFT, PAGE_WIDTH, pageText } from '../../print/page-text.ts'
import type { Mark, PrintedPage } from '../../print/printed-page.ts'

/** What the document of a link says. Pairs are names with their values. */
type LinkDocument = {
  /** The first picture of the document is the logo of the issuer. */
  readonly hasLogo: boolean
  readonly issuer: string
  readonly card: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly standing: string
  /** At most {@link VALUES_MAX}. */
  readonly values: readonly (readonly [name: string, value: string])[]
  /** That there are more values than these; null: there are none. */
  readonly more: string | null
  readonly scan: string
  readonly ends: string
  readonly address: string
}

// Millimetres.
const NAME_WIDTH = 50
const ROW_HEIGHT = 11
const [TOP, TOP_OF_VALUES, FOOT] = [20, 92, 280] as const
const QR_SIZE = 48
const TOP_OF_CODE = 222

const FIRST_PAGE_VALUES = Math.floor((TOP_OF_CODE - 6 - TOP_OF_VALUES) / ROW_HEIGHT)
const PAGE_VALUES = Math.floor((FOOT - TOP) / ROW_HEIGHT)
const FURTHER_PAGES = 4

/** Values of a document; the page of its link has all. */
export const VALUES_MAX = FIRST_PAGE_VALUES + FURTHER_PAGES * PAGE_VALUES

/** Returns the pages: on the first one the card with its first values and the code, on the others the rest. */
export function linkPages(document: LinkDocument): readonly PrintedPage[] {
  const { values, more } = document
  const pages: PrintedPage[] = [firstPage(document)]
  for (let from = FIRST_PAGE_VALUES; from < values.length; from += PAGE_VALUES)
    pages.push(rowsAt(TOP, values.slice(from, from + PAGE_VALUES)))
  const last = pages.pop() ?? []
  return [...pages, more === null ? last : [...last, pageText(more, FOOT, { size: 10, color: MUTED })]]
}

function firstPage({ hasLogo, issuer, card, facts, standing, values, scan, ends, address }: LinkDocument): PrintedPage {
  const beside = { x: PAGE_LEFT + QR_SIZE + 6, width: PAGE_WIDTH - QR_SIZE - 6 }
  const logo: Mark = { kind: 'picture', picture: 0, x: PAGE_LEFT, y: 14, width: 50, height: 14 }
  return [
    ...(hasLogo ? [logo] : []),
    pageText(issuer, 30, { size: 12, linesMax: 1 }),
    pageText(card, 37, { size: 20, isBold: true, linesMax: 1 }),
    ...facts.flatMap(([name, value], at) => row(49 + at * 9, name, value)),
    pageText(standing, 78, { size: 10, isBold: true, linesMax: 2 }),
    { kind: 'rule', x: PAGE_LEFT, y: TOP_OF_VALUES - 4, width: PAGE_WIDTH },
    ...rowsAt(TOP_OF_VALUES, values.slice(0, FIRST_PAGE_VALUES)),
    { kind: 'rule', x: PAGE_LEFT, y: TOP_OF_CODE - 4, width: PAGE_WIDTH },
    { kind: 'qr', text: address, x: PAGE_LEFT, y: TOP_OF_CODE, size: QR_SIZE },
    pageText(scan, TOP_OF_CODE + 4, { ...beside, linesMax: 4 }),
    pageText(ends, TOP_OF_CODE + 26, { ...beside, size: 10 }),
    pageText(address, TOP_OF_CODE + 33, { ...beside, size: 8, linesMax: 3, color: MUTED }),
  ]
}

function rowsAt(top: number, values: LinkDocument['values']): readonly Mark[] {
  return values.flatMap(([name, value], at) => row(top + at * ROW_HEIGHT, name, value))
}

function row(y: number, name: string, value: string): readonly Mark[] {
  const beside = { x: PAGE_LEFT + NAME_WIDTH + 5, width: PAGE_WIDTH - NAME_WIDTH - 5 }
  return [
    pageText(name, y, { width: NAME_WIDTH, size: 10, linesMax: 2, color: MUTED }),
    pageText(value, y, { ...beside, linesMax: 2 }),
  ]
}
