import { tableFault } from './table-fault.ts'

/** Encodings of a table, as the WHATWG names them. */
export const encodings = ['utf-8', 'windows-1252', 'macintosh', 'utf-16le', 'utf-16be'] as const
/** One of {@link encodings}. */
export type TableEncoding = (typeof encodings)[number]

/** Bytes in which UTF-16 without a byte order mark is recognized. */
const HEAD_BYTES = 512
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d]

/**
 * Decodes the text of a table. Without `chosen` a byte order mark decides; then zero bytes in every second place are
 * UTF-16; then it is UTF-8 if it can be. Otherwise it is Mac Roman if its lines end as only spreadsheets on a Mac end
 * them, and Windows-1252 if not.
 *
 * @throws Fault `request.invalid` with the rule `encoding` if the bytes are not of the chosen encoding, `kind` if they
 *   are no text
 */
export function decodeText(
  bytes: Uint8Array,
  chosen?: TableEncoding,
): { readonly text: string; readonly encoding: TableEncoding } {
  const encoding = chosen ?? markOf(bytes) ?? unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : ofOneByte(bytes))
  const text = decode(bytes, encoding)
  // Control characters that no spreadsheet writes.
  if (/[^\P{Cc}\t\n\v\f\r\u0080-\u009f]/u.test(text))
    throw tableFault('kind', 'The file is neither a workbook nor a text.')
  return { text, encoding }
}

function markOf([first, second]: Uint8Array): TableEncoding | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/**
 * Most characters of a heading are below U+0100, so that one byte of each pair is zero. No other encoding of a text has
 * zero bytes.
 */
function unmarkedUtf16(bytes: Uint8Array): TableEncoding | null {
  const zeros = [0, 0] as [number, number]
  const head = bytes.subarray(0, HEAD_BYTES)
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1] += 1
  const [even, odd] = zeros
  if (odd > head.length / 4 && even === 0) return 'utf-16le'
  return even > head.length / 4 && odd === 0 ? 'utf-16be' : null
}

/** Excel on a Mac writes carriage returns alone, and no other program does. */
function ofOneByte(bytes: Uint8Array): TableEncoding {
  return bytes.includes(CARRIAGE_RETURN) && !bytes.includes(LINE_FEED) ? 'macintosh' : 'windows-1252'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function decode(bytes: Uint8Array, encoding: TableEncoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw tableFault('encoding', `The file is not ${encoding}.`)
  }
}
