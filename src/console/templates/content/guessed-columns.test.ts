// What columns of real exports become: headings and cells as registrars, HR departments and associations have them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnGuess, guessColumns, rowsOfColumns } from './guessed-columns.ts'

const form = { decimal: 'comma', dates: 'dmy', isSure: true } as const

/** Guesses what a column of some cells becomes. */
async function guessed(heading: string, cells: readonly string[], decimal: 'point' | 'comma' = 'comma') {
  const rows = cells.map((cell, at) => ({ number: at + 2, cells: [cell] }))
  return (await guessColumns({ header: [heading], rows, form: { ...form, decimal } }))[0] as ColumnGuess
}

for (const [heading, cells, kind, why] of [
  ['Geburtsdatum', ['31.01.1999', '01.02.2000', '15.12.1998'], 'date', 'cells'],
  ['Date de naissance', ['31/01/1999', '01/02/2000', ''], 'date', 'cells'],
  ['Awarded on', ['2026-06-30', '2026-06-30 00:00:00'], 'date', 'cells'],
  ['Note', ['1,3', '2,0', '1,7'], 'number', 'cells'],
  ['ECTS', ['180', '210', '180'], 'number', 'cells'],
  ['Beitrag', ['1 200,50', '80,00'], 'number', 'cells'],
  ['Bestanden', ['ja', 'nein', 'ja'], 'boolean', 'cells'],
  ['Honours', ['TRUE', 'FALSE'], 'boolean', 'cells'],
  ['Validé', ['oui', 'oui'], 'boolean', 'cells'],
  ['Bar', ['0', '1', '1'], 'number', 'cells'],
  ['Anwesend', ['x', '', 'x'], 'string', 'cells'],
  ['PLZ', ['8001', '3000'], 'string', 'number'],
  ['Postal code', ['10115', '20095'], 'string', 'number'],
  ['Telefonnummer', ['441234567', '4412345'], 'string', 'number'],
  ['Abschlussjahr', ['2025', '2026'], 'string', 'number'],
  ['Konto', ['00417', '00418'], 'string', 'zeros'],
  ['Ausweis', ['417231', '417232', '417233'], 'string', 'number'],
  ['Auslastung', ['85%', '90%'], 'string', 'cells'],
  ['Studiengang', ['Informatik', 'Völkerkunde'], 'string', 'cells'],
  ['Grade', ['78,5', 'sehr gut', '60,5'], 'string', 'cells'],
  ['Bemerkung', ['', ''], null, 'empty'],
  ['E-Mail', ['a@example.org', 'b@example.org'], null, 'mail'],
  ['Adresse de courriel', ['a@example.org'], null, 'mail'],
  ['SIS Login ID', ['a', 'b'], null, 'username'],
  ['Matrikel-Nr.', ['417231', '417232'], null, 'reference'],
  ['N° étudiant', ['417231', '417232'], null, 'reference'],
  ['Lfd. Nr.', ['1', '2', '3'], null, 'count'],
  ['Position', ['Leitung', 'Stab'], 'string', 'cells'],
  ['Passwort', ['geheim'], null, 'secret'],
  ['Wert', ['#NV', '3,5'], 'number', 'cells'],
] as const)
  test(`“${heading}” with ${cells.join(' | ')} becomes ${kind}, because of ${why}`, async () => {
    const one = await guessed(heading, cells)
    assert.deepEqual([one.kind, one.why], [kind, why])
  })

test('of 320 dates a few may be wrong, and it is told how many are right', async () => {
  const cells = Array.from({ length: 320 }, (_, at) => (at < 3 ? 'unbekannt' : '31.01.2026'))
  const { kind, fitting, filled } = await guessed('Datum', cells)
  assert.deepEqual([kind, fitting, filled], ['date', 317, 320])
})

test('a number or date of a workbook is what it means, and zeros that it shows stay', async () => {
  const rows = [
    { number: 2, cells: ['31-Jan', '00417', '12'], values: { 0: '2026-01-31', 1: '417' } },
    { number: 3, cells: ['1-Feb', '00418', '13'], values: { 0: '2026-02-01', 1: '418' } },
  ]
  const guesses = await guessColumns({ header: ['Tag', 'Konto', 'Punkte'], rows, form })
  assert.deepEqual(
    guesses.map(({ kind }) => kind),
    ['date', 'string', 'number'],
  )
})

const labelled = [
  [
    ['Nr.', 'Name', 'Vorname', 'Kurs'],
    ['Name', 'Vorname'],
  ],
  [
    ['Prénom', 'Nom', 'Filière'],
    ['Prénom', 'Nom'],
  ],
  [
    ['First Name', 'Last Name', 'Email Address', 'Program'],
    ['First Name', 'Last Name'],
  ],
  [['Student', 'ID', 'SIS Login ID', 'Section'], ['Student']],
  [['Titel', 'Ort'], ['Titel']],
] as const
for (const [header, names] of labelled)
  test(`cards of ${header.join(', ')} are named by ${names.join(' and ')}`, async () => {
    const rows = [1, 2, 3, 4].map((number) => ({ number, cells: header.map((_, column) => `${column} ${number}`) }))
    const guesses = await guessColumns({ header, rows, form })
    assert.deepEqual(
      header.filter((_, at) => guesses[at]?.isInLabel),
      names,
    )
  })

test('what is the same in every row is always shown, what every row has is required, and names are made', async () => {
  const header = ['Name', 'Abschluss', 'Größe', 'Größe', '名前', 'Matrikelnummer', 'Student ID']
  const rows = [1, 2, 3].map((number) => {
    return {
      number,
      cells: [`N ${number}`, 'BSc', number === 1 ? '' : 'L', 'M', `名${number}`, `a${number}`, `b${number}`],
    }
  })
  const guesses = await guessColumns({ header, rows, form })
  const attributes = rowsOfColumns(header, guesses)
  assert.deepEqual(
    attributes.map(({ column, row }) => [column, row.key, row.isRequired, row.isAlways, row.isInLabel]),
    [
      [0, 'name', true, false, true],
      [1, 'abschluss', true, true, false],
      [2, 'groesse', false, false, false],
      [3, 'groesse_2', true, true, false],
      [4, 'attribute', true, false, false],
      [6, 'student_id', true, false, false],
    ],
  )
})
