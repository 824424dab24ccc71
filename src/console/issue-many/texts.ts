import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/issue-many.json' with { type: 'json' }

/** Texts of issuing from a table by language. */
export const tableTexts = catalogue('console/issue-many', en, {
  atRow: ['row', 'problem'],
  columnsOf: ['name'],
  noName: ['column'],
  becomesOf: ['name'],
  sheet: ['name'],
  hiddenRows: ['count'],
  headRow: ['row', 'text'],
  headingsBelow: ['row'],
  leftOut: ['count'],
  leftRow: ['row', 'text'],
  rowOf: ['row'],
  sameAs: ['row'],
  withProblems: ['count'],
  allRows: ['count'],
  place: ['from', 'to', 'of'],
  allReady: ['count'],
  someBad: ['bad', 'all'],
  more: ['count'],
  twins: ['first', 'second'],
  renewal: { held: ['count'] },
  missing: ['label'],
  twice: ['label'],
  problem: {
    missing: ['label'],
    number: ['label', 'example'],
    date: ['label'],
    noDay: ['label'],
    twoDays: ['label', 'cell', 'first', 'second'],
    errorValue: ['label', 'cell'],
    boolean: ['label'],
    other: ['label'],
    noUser: ['cell'],
    mailLanguage: ['languages'],
  },
  issue: ['count'],
  takeHome: ['count'],
  done: ['count'],
  someFailed: ['failed'],
  outcome: ['done', 'failed', 'total'],
  batch: ['at'],
})

/** Texts of issuing from a table. */
export type TableTexts = TextsIn<typeof tableTexts>
