import type { TextMark } from './printed-page.ts'

/** Left edge and width of what stands on a page, in millimetres of A4 (210 × 297). */
export const [PAGE_LEFT, PAGE_WIDTH] = [25, 160] as const

/** The colour of what matters less. */
export const MUTED = '#4a5160'
const DARK = '#16181d'

/** Returns a line of text over the width of a page. @param y Of its upper edge, in millimetres. */
export function pageText(shown: string, y: number, more: Partial<TextMark> = {}): TextMark {
  return {
    kind: 'text',
    text: shown,
    x: PAGE_LEFT,
    y,
    width: PAGE_WIDTH,
    size: 11,
    align: 'start',
    linesMax: 1,
    color: DARK,
    ...more,
  }
}
