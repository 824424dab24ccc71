import { languages } from '../../contract/languages.ts'
import { type Html, html } from '../../pages/html.ts'
import { isErrorValue, readDate } from '../../tables/cell-values.ts'
import type { TableForm } from '../../tables/table.ts'
import { ruleWords } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { RowProblem, TableRow } from './table-draft.ts'
import { MAIL, MAIL_LANGUAGE, type Target } from './targets.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/** What is wrong in words. `detail`: the API's English, where there are no words of ours. */
type Words = { readonly text: string; readonly detail: string | null }

/** Rules about a card itself, which have words without its cell. */
const ownRule = /^(validity|replaces)\.|^template\.never_valid$/

/** Returns what is wrong with a row in words. */
export function wordsOf(
  { t: common, language }: Pick<Frame, 't' | 'language'>,
  targets: readonly Target[],
  { cells }: TableRow,
  problem: RowProblem,
  form: TableForm,
): Words {
  const t = tableTexts[language]
  const { column, target, detail, rule = '' } = problem
  const found = targets.find(({ value }) => value === target || target.startsWith(`${value}.`))
  if (found === undefined) return { text: detail, detail }
  const { label, type } = found
  const plain = (text: string) => ({ text, detail: null })
  const cell = column === null ? '' : (cells[column] ?? '')
  const said = ownRule.test(rule) ? ruleWords(common, rule, '') : null
  if (said !== null) return plain(`${label}${common.colon}${said}`)
  if (cell === '') return plain(t.problem.missing(label))
  if (isErrorValue(cell)) return plain(t.problem.errorValue(label, cell))
  if (target.startsWith('recipient.')) return plain(t.problem.noUser(cell))
  if (target === MAIL) return plain(t.problem.mail)
  if (target === MAIL_LANGUAGE) return plain(t.problem.mailLanguage(Object.keys(languages).join(', ')))
  if (type === 'number') return plain(t.problem.number(label, t.number))
  if (type === 'date') return plain(dateWords(t, label, cell, form))
  if (type === 'boolean') return plain(t.problem.boolean(label))
  return { text: `${t.problem.other(label)}: ${detail}`, detail }
}

function dateWords(t: TableTexts, label: string, cell: string, { isSure, dates }: TableForm): string {
  const found = readDate(cell, isSure ? dates : undefined)
  if (found.kind === 'no_day') return t.problem.noDay(label)
  if (found.kind === 'ambiguous') return t.problem.twoDays(label, cell, found.dayFirst, found.monthFirst)
  return t.problem.date(label)
}

/** Returns words as they stand in a page. */
export function shownWords({ text, detail }: Words): Html {
  return html`<span${detail !== null && html` lang="en"`}>${text}</span>`
}
