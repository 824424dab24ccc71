/**
 * Controls, soft hyphens, spaces without width, marks of direction, and halves of characters: nobody sees them, and
 * they change what is seen.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu
/** Joiners where no script needs them: after an Arabic or Indic letter and between emoji they are part of the text. */
const LOOSE_JOINERS =
  /(?<![\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{Extended_Pictographic}]|\ufe0f)[\u200c\u200d]/gu
/** As {@link UNSEEN} but for tabs and line feeds, and with the joiners: where none is, there is nothing to do. */
const SUSPECT = /[^\P{Cc}\t\n\r]|[\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u
const LINE_ENDS = /[\t-\r\u0085\u2028\u2029]/g
/** No name has more marks on one character. */
const MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * Returns a text without what nobody sees and what turns or hides the text beside it. Line feeds and tabs stay, as does
 * the length otherwise: for texts whose origin is not known.
 */
export function seenText(text: string): string {
  if (!SUSPECT.test(text)) return text
  const seen = text.replaceAll(UNSEEN, (sign) => (/[\t\n\r]/.test(sign) ? sign : ''))
  return seen.replaceAll(LOOSE_JOINERS, '')
}

/**
 * Returns a text of a stranger as it can be shown: on one line, without what nobody sees, cut to a length.
 *
 * @param charsMax In code points.
 * @returns null for what is no text, or is empty then.
 */
export function foreignText(value: unknown, charsMax: number): string | null {
  if (typeof value !== 'string') return null
  // Nothing is done with what is cut off anyway.
  const shown = value
    .slice(0, charsMax * 8)
    .replaceAll(LINE_ENDS, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll(LOOSE_JOINERS, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(MARKS, '$1')
    .trim()
  const characters = [...shown]
  if (characters.length === 0) return null
  return characters.length <= charsMax ? shown : `${characters.slice(0, charsMax - 1).join('')}…`
}
