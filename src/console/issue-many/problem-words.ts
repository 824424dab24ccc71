import { type Html, html } from '../../pages/html.ts'
import type { RowProblem, TableRow } from './table-draft.ts'
import { MAIL, MAIL_LANGUAGE, type Target } from './targets.ts'
import type { TableTexts } from './texts.ts'

/** What is wrong in words. `detail`: the API's English, where there are no words of ours. */
type Words = { readonly text: string; readonly detail: string | null }

/** Returns what is wrong with a row in words. */
export function wordsOf(t: TableTexts, targets: readonly Target[], { cells }: TableRow, problem: RowProblem): Words {
  const { column, target, detail } = problem
  const found = targets.find(({ value }) => value === target || target.startsWith(`${value}.`))
  if (found === undefined) return { text: detail, detail }
  const { label, type } = found
  const plain = (text: string) => ({ text, detail: null })
  if (column === null || cells[column] === '') return plain(t.problem.missing(label))
  if (target === MAIL) return plain(t.problem.mail)
  if (target === MAIL_LANGUAGE) return plain(t.problem.mailLanguage)
  if (type === 'number') return plain(t.problem.number(label, t.number))
  if (type === 'date') return plain(t.problem.date(label))
  if (type === 'boolean') return plain(t.problem.boolean(label))
  return { text: `${t.problem.other(label)}: ${detail}`, detail }
}

/** Returns words as they stand in a page. */
export function shownWords({ text, detail }: Words): Html {
  return html`<span${detail !== null && html` lang="en"`}>${text}</span>`
}
