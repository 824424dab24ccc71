// From the files of registrars, HR departments and associations, as their programs write them, to a card that is
// proposed, and rows that the API takes: nobody chooses anything but the order of the dates where no cell shows it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { parseTable } from '../../tables/parse-table.ts'
import type { ReadTable } from '../../tables/table.ts'
import { type ProgramExport, textExports } from '../../tables/test-support/text-exports.ts'
import { workbookExports } from '../../tables/test-support/workbook-exports.ts'
import { tableFor } from '../issue-many/api-table.ts'
import { COLUMNS_MAX, ROWS_MAX } from '../issue-many/table-draft.ts'
import { mappingOfMade, targetsOf } from '../issue-many/targets.ts'
import { tableTexts } from '../issue-many/texts.ts'
import { type ColumnGuess, guessColumns, rowsOfColumns } from '../templates/content/guessed-columns.ts'
import type { Template } from '../templates/content/template.ts'
import { blank } from '../templates/draft.ts'
import { bodyOf } from '../templates/draft-body.ts'

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

/** What a column of each role becomes beside the card. */
const BESIDES: Readonly<Record<string, RegExp>> = { reference: /^reference$/, validity: /^valid(From|Until)$/ }

async function makeCard({ header }: ReadTable, guesses: readonly ColumnGuess[], name: string) {
  const made = rowsOfColumns(header, guesses)
  const draft = { ...blank, plain: { ...blank.plain, name: [name] }, rows: made.map(({ row }) => row) }
  const { body, status } = await school.post('/creds/templates/credentials', bodyOf(draft, null, true))
  assert.equal(status, 201, JSON.stringify(body))
  const template: Template = body.data
  const targets = targetsOf(template, tableTexts.en, false)
  const keys = new Map(made.map(({ column, row }) => [column, `attributes.${row.key}`]))
  return { template, targets, mapping: mappingOfMade(header, keys, targets) }
}

/** Lets the API check the rows as the console sends them. @returns how many it refuses */
async function refused(table: ReadTable, card: Awaited<ReturnType<typeof makeCard>>, dates = '') {
  const { template, mapping, targets } = card
  const meaning = { templateId: template.id, mapping, form: table.form, lifetimeSeconds: 600 }
  const rows = table.rows.map((row) => ({ ...row, problems: [], isIssued: false }))
  const query = new URLSearchParams({ check: 'true', credentialTemplateId: template.id, decimal: table.form.decimal })
  const order = table.form.isSure ? table.form.dates : dates
  if (order !== '') query.set('dates', order)
  const path = `/creds/credentials/issuance/batch?${query}`
  const { body } = await school.send('POST', path, await tableFor(meaning, targets, rows), {
    'content-type': 'text/csv',
  })
  assert.equal(body.data?.total, table.rows.length, JSON.stringify(body))
  return body.data.invalid
}

for (const one of [...textExports, ...workbookExports] satisfies readonly ProgramExport[])
  test(`a file of ${one.program} is issued as it is`, async () => {
    const table = parseTable(one.file, { rowsMax: ROWS_MAX, columnsMax: COLUMNS_MAX, cells: 'tidied', headings: [] })
    const { header, headerRow, rows, form } = table
    const left = form.place?.left.listed.map(({ number }) => number)
    assert.deepEqual([headerRow, rows.length, left], [one.headerRow, one.rows, one.left])
    const guesses = await guessColumns(table)
    const becomes = header.map((heading, at) => [heading, guesses[at]?.kind ?? guesses[at]?.why])
    assert.deepEqual(becomes, one.columns)
    const label = header.filter((_, at) => guesses[at]?.isInLabel)
    assert.deepEqual(label, one.label)
    const card = await makeCard(table, guesses, one.program)
    for (const [at, [heading, kind]] of one.columns.entries()) {
      const expected = guesses[at]?.kind === null ? (BESIDES[kind] ?? /^$/) : /^attributes\./
      assert.match(card.mapping[at] ?? '', expected, heading)
    }
    assert.equal(form.isSure, one.dates === undefined)
    assert.equal(await refused(table, card, one.dates), 0)
    if (one.dates !== undefined) assert.equal(await refused(table, card), 2, 'a date is not guessed')
  })
