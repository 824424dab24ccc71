import { type Html, html } from '../html.ts'

/** How a card looks. Colours are `#rrggbb`. */
type CardLook = {
  readonly issuer: string
  readonly name: string
  /** The line below the name. */
  readonly line: string
  readonly back?: string | undefined
  readonly ink?: string | undefined
  /** Pictures: only those in a `data:` URI are drawn, since a page asks no other website for anything. */
  readonly logo?: string | undefined
  readonly picture?: string | undefined
}

const BACK = '#1f2d4a'
const INK = '#ffffff'
const COLOUR = /^#[0-9a-f]{6}$/i
const DRAWN = /^data:image\/(png|jpeg|svg\+xml)[;,]/
/** WCAG 2.2, 1.4.3: text of normal size. */
export const CONTRAST_MIN = 4.5

/** Returns the colours that a card is drawn with: those given, or others where text could not be read. */
export function coloursOf({ back, ink }: Pick<CardLook, 'back' | 'ink'>): {
  readonly back: string
  readonly ink: string
} {
  const ground = back !== undefined && COLOUR.test(back) ? back : BACK
  const given = ink !== undefined && COLOUR.test(ink) ? ink : INK
  if (contrast(ground, given) >= CONTRAST_MIN) return { back: ground, ink: given }
  return { back: ground, ink: contrast(ground, '#ffffff') >= contrast(ground, '#000000') ? '#ffffff' : '#000000' }
}

/** Returns a card. Its colours come from {@link cardStyle}. */
export function credentialCard(look: CardLook): Html {
  const { back, ink } = coloursOf(look)
  const drawn = (uri: string | undefined, place: string) =>
    uri !== undefined && DRAWN.test(uri) && html`<img class="${place}" src="${uri}" alt="">`
  return html`<div class="credential" data-back="${back}" data-ink="${ink}">
    ${drawn(look.picture, 'back')}
    <span>${look.issuer}${drawn(look.logo, 'logo')}</span>
    <div><b>${look.name}</b><span>${look.line}</span></div>
  </div>`
}

/** Returns the rule that colours the cards of a page that look the same. */
export function cardStyle(look: Pick<CardLook, 'back' | 'ink'>): string {
  const { back, ink } = coloursOf(look)
  return `.credential{--card:${back};--card-ink:${ink}}`
}

/** Returns the contrast of two colours, 1 to 21. @see [WCAG 2.2, contrast ratio](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio) */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
