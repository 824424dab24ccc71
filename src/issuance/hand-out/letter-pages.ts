import type { Language } from '../../contract/languages.ts'
import type { Mark, PrintedPage, TextMark } from '../../print/printed-page.ts'
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

// Millimetres of A4, which is 210 × 297.
const LEFT = 25
const WIDTH = 160
const QR_SIZE = 70
const SLIP_HEIGHT = 37
const DARK = '#16181d'
const MUTED = '#4a5160'

/** Returns the letter of one person. */
export function letterPage(letter: Letter): PrintedPage {
  const { organisation, hasLogo, person, card, link, end, hasCode, code } = letter
  const { letter: t } = handOutTexts[letter.language]
  const logo: Mark = { kind: 'picture', picture: 0, x: LEFT, y: 16, width: 60, height: 16 }
  const marks: readonly (Mark | false)[] = [
    hasLogo && logo,
    text(organisation, hasLogo ? 35 : 24, { size: 13, isBold: true }),
    { kind: 'rule', x: LEFT, y: 48, width: WIDTH },
    person !== null && text(person, 57, { size: 20, isBold: true, linesMax: 2 }),
    text(t.from(organisation), 80, { linesMax: 2 }),
    text(card, 91, { size: 14, isBold: true, linesMax: 2 }),
    text(t.take, 106, { linesMax: 3 }),
    { kind: 'qr', text: link, x: LEFT + (WIDTH - QR_SIZE) / 2, y: 121, size: QR_SIZE },
    text(link, 193, { size: 10, linesMax: 4, align: 'center', color: MUTED }),
    end !== null && text(t.ends(end), 216, { linesMax: 2 }),
    code !== null && text(t.code, 229),
    code !== null && text(code, 235, { size: 20, isBold: true }),
    hasCode && code === null && text(t.codeApart, 229, { linesMax: 2 }),
  ]
  return marks.filter((mark) => mark !== false)
}

/** Returns a page of slips with transaction codes, to be cut. @param letters At most {@link SLIPS_PER_PAGE} */
export function slipsPage(letters: readonly Letter[]): PrintedPage {
  return letters.flatMap(({ language, person, organisation, card, code }, at): Mark[] => {
    const { letter: t } = handOutTexts[language]
    const top = 18 + at * SLIP_HEIGHT
    return [
      text(person ?? card, top, { size: 13, isBold: true }),
      text(`${organisation} · ${card}`, top + 7, { size: 10, color: MUTED }),
      text(t.code, top + 13, { size: 10 }),
      text(code ?? '', top + 18, { size: 18, isBold: true }),
      { kind: 'rule', x: LEFT, y: top + SLIP_HEIGHT - 6, width: WIDTH },
    ]
  })
}

function text(shown: string, y: number, more: Partial<TextMark> = {}): TextMark {
  return {
    kind: 'text',
    text: shown,
    x: LEFT,
    y,
    width: WIDTH,
    size: 11,
    align: 'start',
    linesMax: 1,
    color: DARK,
    ...more,
  }
}
