import { CONTRAST_MIN, contrast } from './credential-card.ts'

const WHITE = '#ffffff'
/**
 * Ground of the light pages on which accented text has the least contrast, and the darkest and lightest of the dark
 * ones.
 */
const LIGHT_GROUND = '#f1efe9'
const DARK_PAPER = '#14161a'
const DARK_SURFACE = '#1c1f25'
/** Share of the accent in the ground of a marked entry. */
const SOFT = 0.08
const STEPS = 20
const COLOUR = /^#[0-9a-f]{6}$/i
/** Of the pages of no organisation. */
const OWN = '#1f4e79'

/**
 * Whether text in the colour, and white text on it, can be read on the light pages. No colour has 4.5:1 on light and
 * dark paper alike.
 */
export function isReadableAccent(colour: string): boolean {
  return [LIGHT_GROUND, mixed(WHITE, colour, SOFT)].every((ground) => contrast(ground, colour) >= CONTRAST_MIN)
}

/**
 * Returns the rule that colours the buttons and links of a page. On dark pages the colour is lightened until it can be
 * read there.
 *
 * @param colour `#rrggbb` that is {@link isReadableAccent}; others have no effect.
 */
export function accentStyle(colour: string | null): string {
  if (colour === null || !COLOUR.test(colour) || !isReadableAccent(colour)) return ''
  const dark = lightened(colour)
  const soft = `light-dark(${mixed(WHITE, colour, SOFT)},${mixed(DARK_PAPER, dark, SOFT)})`
  return `:root{--accent:light-dark(${colour},${dark});--on-accent:light-dark(${WHITE},${DARK_PAPER});--soft:${soft}}`
}

/** Returns the colour of an installed app: that of an organisation if it is {@link isReadableAccent}, else ours. */
export function appColour(colour: string | null): string {
  return colour !== null && COLOUR.test(colour) && isReadableAccent(colour) ? colour : OWN
}

function lightened(colour: string): string {
  for (let step = 0; step < STEPS; step += 1) {
    const tint = mixed(colour, WHITE, step / STEPS)
    const grounds = [DARK_PAPER, DARK_SURFACE, mixed(DARK_PAPER, tint, SOFT)]
    if (grounds.every((ground) => contrast(ground, tint) >= CONTRAST_MIN)) return tint
  }
  return WHITE
}

/** @param share Of the second colour, 0 to 1. */
function mixed(first: string, second: string, share: number): string {
  const part = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
  const parts = [1, 3, 5].map((at) => Math.round(part(first, at) * (1 - share) + part(second, at) * share))
  return `#${parts.map((one) => one.toString(16).padStart(2, '0')).join('')}`
}
