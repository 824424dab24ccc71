import { Readable } from 'node:stream'
import type { Language } from '../../contract/languages.ts'
import { numberFormat } from '../../memory/formats.ts'

/** Returns a table to download, with a mark by which spreadsheets read it as UTF-8. @param name Without its ending */
export function csvFile(
  name: string,
  text: string,
): { readonly file: string; readonly type: string; readonly name: string } {
  return { file: `\ufeff${text}`, type: 'text/csv; charset=utf-8', name: `${name}.csv` }
}

/** Returns the same of a table that is streamed. */
export function csvStream(
  name: string,
  table: Readable,
): { readonly file: Readable; readonly type: string; readonly name: string } {
  return { ...csvFile(name, ''), file: Readable.from(marked(table), { objectMode: false }) }
}

async function* marked(table: Readable): AsyncGenerator<string | Buffer> {
  yield '\ufeff'
  yield* table
}

/** Returns what spreadsheets of a language expect between cells: a semicolon where a comma stands in numbers. */
export function csvDelimiterOf(language: Language): 'comma' | 'semicolon' {
  const decimal = numberFormat(language, {})
    .formatToParts(0.5)
    .find(({ type }) => type === 'decimal')
  return decimal?.value === ',' ? 'semicolon' : 'comma'
}
