/** Keyword for the values of a text that are known today: generators of clients type it as a text. */
export const OPEN_ENUM = 'x-extensible-enum'

/**
 * Returns what the document says of a text whose values are added over time: a client must not narrow it to those of
 * today.
 *
 * @param name Of the shape in the document.
 */
export function openEnum(name: string, values: readonly string[]) {
  return { $id: name, type: 'string', [OPEN_ENUM]: values }
}
