/** Control characters, and those that change the direction of the text around them. Joiners stay: some scripts need them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g

/**
 * Returns a text of a stranger as it may be shown: without control and direction characters, runs of spaces as one, cut to a length.
 *
 * @param charsMax In code points.
 * @returns null for what is no text, or is empty then.
 */
export function foreignText(value: unknown, charsMax: number): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, charsMax * 8)
    .replaceAll(UNWANTED, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = [...text.slice(0, charsMax * 2)]
  if (characters.length === 0) return null
  return characters.length <= charsMax && text.length <= charsMax * 2
    ? text
    : `${characters.slice(0, charsMax - 1).join('')}…`
}
