import type { Language } from '../../contract/languages.ts'
import { MUTED, PAGE_LEFT, PAGE_WIDTH, pageText } from '../../print/page-text.ts'
import type { Mark, PrintedPage } from '../../print/printed-page.ts'
import { handOutTexts } from './hand-out-texts.ts'

/** What a letter says. */
export type Letter = {
  readonly organisation: string
  /** The first picture of the document is the logo. */
  readonly hasLogo: boolean
  readonly language: Language
  /** What the person is called; null: it is not known. */
  readonly person: string | null
  readonly card: string
  /** The https link of the offer. */
  readonly link: string
  /** When the offer ends, in the language of the letter. */
  readonly end: string | null
  /** The person will be asked for a transaction code. */
  readonly hasCode: boolean
  /** The code, where it stands on the page. */
  readonly code: string | null
}

/** Slips on a page. */
export const SLIPS_PER_PAGE = 7

// Millimetres.
const QR_SIZE = 70
const SLIP_HEIGHT = 37

/** Returns the letter of one person. */
export function letterPage(letter: Letter): PrintedPage {
  const { organisation, hasLogo, person, card, link, end, hasCode, code } = letter
  const { letter: t } = handOutTexts[letter.language]
  const logo: Mark = { kind: 'picture', picture: 0, x: PAGE_LEFT, y: 16, width: 60, height: 16 }
  const marks: readonly (Mark | false)[] = [
    hasLogo && logo,
    pageText(organisation, hasLogo ? 35 : 24, { size: 13, isBold: true }),
    { kind: 'rule', x: PAGE_LEFT, y: 48, width: PAGE_WIDTH },
    person !== null && pageText(person, 57, { size: 20, isBold: true, linesMax: 2 }),
    pageText(t.from(organisation), 80, { linesMax: 2 }),
    pageText(card, 91, { size: 14, isBold: true, linesMax: 2 }),
    pageText(t.take, 106, { linesMax: 3 }),
    { kind: 'qr', text: link, x: PAGE_LEFT + (PAGE_WIDTH - QR_SIZE) / 2, y: 121, size: QR_SIZE },
    pageText(link, 193, { size: 10, linesMax: 4, align: 'center', color: MUTED }),
    end !== null && pageText(t.ends(end), 216, { linesMax: 2 }),
    code !== null && pageText(t.code, 229),
    code !== null && pageText(code, 235, { size: 20, isBold: true }),
    hasCode && code === null && pageText(t.codeApart, 229, { linesMax: 2 }),
  ]
  return marks.filter((mark) => mark !== false)
}

/** Returns a page of slips with transaction codes, to be cut. @param letters At most {@link SLIPS_PER_PAGE} */
export function slipsPage(letters: readonly Letter[]): PrintedPage {
  return letters.flatMap(({ language, person, organisation, card, code }, at): Mark[] => {
    const { letter: t } = handOutTexts[language]
    const top = 18 + at * SLIP_HEIGHT
    return [
      pageText(person ?? card, top, { size: 13, isBold: true }),
      pageText(`${organisation} · ${card}`, top + 7, { size: 10, color: MUTED }),
      pageText(t.code, top + 13, { size: 10 }),
      pageText(code ?? '', top + 18, { size: 18, isBold: true }),
      { kind: 'rule', x: PAGE_LEFT, y: top + SLIP_HEIGHT - 6, width: PAGE_WIDTH },
    ]
  })
}
