import { format, getFormatDateInfo, getFormatFromId } from 'numfmt'
import type { CellValues } from './table.ts'
import { readPart } from './workbook-parts.ts'

/** How cells of a style show their value. */
export type NumberFormat = { readonly kind: 'general' | 'number' | 'date' | 'time'; readonly code: string }

/** What a cell shows, and what it means where that is something else. */
export type ShownCell = { readonly text: string; readonly value?: CellValues[number] }

const GENERAL: NumberFormat = { kind: 'general', code: 'General' }
const DAY_MS = 86_400_000
/** The days between 1900 and 1904, as spreadsheets count them. */
const DAYS_1904 = 1462
/** A day that spreadsheets count though it did not exist: 29 February 1900. */
const LEAP_DAY = 60
/**
 * Languages are named by their codes: [$-407] is German. Without one, names of months are in the language of the
 * program.
 */
const NAMED = /[dm]{3}|a{3}|b/i
const LANGUAGE = /\[\$[^[\]-]{0,32}-[0-9a-f]{3,8}/i
/** System formats, which show what the settings of the machine say. */
const SYSTEM = /\[\$-f[48]00\]/i

/**
 * Returns the formats of the cells of a workbook, by the numbers of their styles. @see ECMA-376 part 1, 18.8.30 and
 * 18.8.31
 */
export function numberFormats(xml: Buffer | undefined): readonly NumberFormat[] {
  const own = new Map<string, NumberFormat>()
  const styles: NumberFormat[] = []
  let isOfCells = false
  readPart(xml, {
    open: (tag, { numFmtId = '0', formatCode = '' }) => {
      if (tag === 'numFmt') own.set(numFmtId, formatOf(formatCode, false))
      if (tag === 'cellXfs') isOfCells = true
      if (tag === 'xf' && isOfCells) styles.push(own.get(numFmtId) ?? builtIn(Number(numFmtId)))
      return false
    },
    close: (tag) => {
      if (tag === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

/** Formats 27 to 36 and 50 to 58 are dates of East Asian programs; others beyond 49 have no meaning without a code. */
function builtIn(id: number): NumberFormat {
  const isKnown = Number.isInteger(id) && id > 0 && id <= 58 && !(id > 22 && id < 27)
  return isKnown ? formatOf(getFormatFromId(id), true) : GENERAL
}

function formatOf(code: string, isBuiltIn: boolean): NumberFormat {
  if (/^(general)?$/i.test(code.trim()) || code.trim() === '@') return GENERAL
  const { year, month, day, hours, minutes, seconds } = dateInfoOf(code)
  const isDate = year || day || (month && !minutes && !seconds)
  // How dates of the program's own formats look is a setting of each machine, so they have no text.
  if (isDate) return { kind: 'date', code: isBuiltIn || SYSTEM.test(code) ? '' : code }
  return { kind: hours || minutes || seconds ? 'time' : 'number', code }
}

function dateInfoOf(code: string): Partial<ReturnType<typeof getFormatDateInfo>> {
  try {
    return getFormatDateInfo(code)
  } catch {
    return {}
  }
}

/**
 * Returns what a number shows. A number as such is shown as JSON writes it, in the 15 figures that spreadsheets have. A
 * date means its day (ISO 8601); it shows that too where its format depends on the machine or the language of the
 * program.
 */
export function shownNumber(number: number, { kind, code }: NumberFormat = GENERAL, is1904 = false): ShownCell {
  const plain = plainOf(number)
  if (kind === 'general') return shownPlain(plain)
  if (kind === 'date') return shownDate(number, code, is1904)
  const text = formatted(code, number)
  if (text === '' || text === plain) return shownPlain(plain)
  return kind === 'time' ? { text } : { text, value: plain }
}

/** A fraction has a value too: its point is a decimal sign in every table. */
function shownPlain(plain: string): ShownCell {
  return plain.includes('.') ? { text: plain, value: plain } : { text: plain }
}

/** The sixteenth figure of a fraction is an error of its calculation; a whole number was entered as it is. */
function plainOf(number: number): string {
  return String(Number.isInteger(number) ? number : Number(number.toPrecision(15)))
}

/** Returns what a text shows: formats can add something to it. */
export function formattedText(text: string, { code }: NumberFormat = GENERAL): string {
  return text !== '' && code.includes('@') ? formatted(code, text) || text : text
}

function shownDate(number: number, code: string, is1904: boolean): ShownCell {
  const days = is1904 ? number + DAYS_1904 : number
  const iso = isoOf(days)
  if (code === '' || days < 1 || days >= 2_958_466 || (NAMED.test(code) && !LANGUAGE.test(code))) return { text: iso }
  const text = formatted(code, days)
  return text === '' || text === iso ? { text: iso } : { text, value: iso }
}

/** A date before the first one, which spreadsheets show as signs only, is its number. */
function isoOf(days: number): string {
  const seconds = Math.round(days * 86_400)
  const day = Math.floor(seconds / 86_400)
  if (!(days >= 0 && days < 2_958_466)) return String(days)
  const clock = new Date((seconds - day * 86_400) * 1000).toISOString().slice(11, 19)
  const time = clock === '00:00:00' ? '' : `T${clock}`
  if (day === 0) return time === '' ? '1900-01-00' : clock
  if (day === LEAP_DAY) return `1900-02-29${time}`
  return new Date((day - (day < LEAP_DAY ? 25_568 : 25_569)) * DAY_MS).toISOString().slice(0, 10) + time
}

function formatted(code: string, value: number | string): string {
  try {
    const text = format(code, value, { nbsp: false, leap1900: true, throws: true }).trim()
    // What a program shows that has no section for the value.
    return /^#+$/.test(text) ? '' : text
  } catch {
    // A format that no program can have shown.
    return ''
  }
}
