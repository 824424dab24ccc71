import { aWorkbook } from './a-workbook.ts'
import type { ProgramExport } from './text-exports.ts'

/** A cell: a text, yes or no, a number, one of a style (from 1), a formula with its value, or nothing but a format. */
type Cell = string | number | boolean | null | readonly [value: number, style: number] | { readonly sum: number }

/** 31 January and 9 May 2026, 19 December 2025 and 31 December 2099 as workbooks count days. */
const [JANUARY_31, MAY_9, DECEMBER_19, LAST_DAY] = [46_053, 46_151, 46_010, 73_050]

function cellOf(cell: Cell): string {
  if (typeof cell === 'string') return `<c t="inlineStr"><is><t>${cell}</t></is></c>`
  if (typeof cell === 'number') return `<c t="n"><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c t="b"><v>${Number(cell)}</v></c>`
  if (cell === null) return '<c s="1"/>'
  if ('sum' in cell) return `<c><f>SUM(A1:A9)</f><v>${cell.sum}</v></c>`
  return `<c s="${cell[1]}"><v>${cell[0]}</v></c>`
}

/** Returns the XML of rows; an empty one stands in the sheet too. */
function sheetOf(...rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `<row>${cells.map(cellOf).join('')}</row>`).join('')
}

/** Sheets, formats and headings are those that the programs write; the people are ours. */
export const workbookExports: readonly ProgramExport[] = [
  {
    // As openpyxl 3.1 writes it by `DataFrame.to_excel`: texts in their cells, days as times, a column that counts.
    program: 'pandas with openpyxl',
    file: aWorkbook({
      formats: [[164, 'yyyy-mm-dd h:mm:ss']],
      sheets: [
        {
          name: 'Sheet1',
          rows: sheetOf(
            ['', 'full_name', 'email', 'completed', 'score', 'passed'],
            [0, 'Thandi Molefe', 'thandi@example.org', [JANUARY_31, 1], 78.5, true],
            [1, 'Pieter Botha', 'pieter@example.org', [MAY_9, 1], 64, false],
            [2, 'Zanele Nkosi', 'zanele@example.org', [DECEMBER_19, 1], 91.25, true],
          ),
        },
      ],
    }),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['', 'count'],
      ['full_name', 'string'],
      ['email', 'mail'],
      ['completed', 'date'],
      ['score', 'number'],
      ['passed', 'boolean'],
    ],
    label: ['full_name'],
  },
  {
    // Its days have the built-in format 14, which each machine shows in its own way.
    program: 'a web application with exceljs',
    file: aWorkbook({
      formats: [[14], [164, '00000']],
      sheets: [
        {
          name: 'Mitglieder',
          rows: sheetOf(
            ['Mitgliedsnummer', 'Vorname', 'Nachname', 'Gültig bis', 'PLZ'],
            ['M-0017', 'Eva', 'Roth', [LAST_DAY, 1], [1067, 2]],
            ['M-0018', 'Jürgen', 'Müller', [LAST_DAY, 1], [30159, 2]],
          ),
        },
      ],
    }),
    headerRow: 1,
    rows: 2,
    left: [],
    columns: [
      ['Mitgliedsnummer', 'reference'],
      ['Vorname', 'string'],
      ['Nachname', 'string'],
      ['Gültig bis', 'validity'],
      ['PLZ', 'string'],
    ],
    label: ['Vorname', 'Nachname'],
  },
  {
    program: 'Numbers, workbook with a summary and the name of the table',
    file: aWorkbook({
      formats: [[164, 'd/m/yyyy']],
      sheets: [
        {
          name: 'Export Summary',
          rows: sheetOf(
            ['This document was exported from Numbers. Each table was converted to an Excel worksheet.'],
            [],
            ['Numbers Sheet Name', 'Numbers Table Name', 'Excel Worksheet Name'],
            ['Sheet 1', '', ''],
            ['', 'Table 1', 'Sheet 1'],
          ),
        },
        {
          name: 'Sheet 1',
          rows: sheetOf(
            ['Table 1', null, null, null],
            ['Name', 'E-mail', 'Course', 'Date'],
            ['Thandi Molefe', 'thandi@example.org', 'First aid', [JANUARY_31, 1]],
            ['Pieter Botha', 'pieter@example.org', 'Fire safety', [MAY_9, 1]],
            ['Zanele Nkosi', 'zanele@example.org', 'First aid', [MAY_9, 1]],
            ['Sipho Dube', 'sipho@example.org', 'First aid', [MAY_9, 1]],
            [null, null, null, null],
          ),
        },
      ],
    }),
    headerRow: 2,
    rows: 4,
    left: [],
    columns: [
      ['Name', 'string'],
      ['E-mail', 'mail'],
      ['Course', 'string'],
      ['Date', 'date'],
    ],
    label: ['Name'],
  },
  {
    // A sheet has a thousand rows from the start, which have a format and nothing else.
    program: 'Google Sheets, workbook',
    file: aWorkbook({
      formats: [[164, 'm/d/yyyy']],
      sheets: [
        {
          name: 'Form Responses 1',
          rows: sheetOf(
            ['Timestamp', 'Email Address', 'First name', 'Last name', 'Completed', 'Score'],
            [[MAY_9 + 0.43, 1], 'thandi@example.org', 'Thandi', 'Molefe', [MAY_9, 1], 8],
            [[MAY_9 + 0.51, 1], 'pieter@example.org', 'Pieter', 'Botha', [MAY_9, 1], 10],
            [[MAY_9 + 0.77, 1], 'zanele@example.org', 'Zanele', 'Nkosi', [JANUARY_31, 1], 9],
            ...Array.from({ length: 40 }, () => [null, null, null, null, null, null]),
          ),
        },
      ],
    }),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Timestamp', 'time'],
      ['Email Address', 'mail'],
      ['First name', 'string'],
      ['Last name', 'string'],
      ['Completed', 'date'],
      ['Score', 'number'],
    ],
    label: ['First name', 'Last name'],
  },
  {
    program: 'LibreOffice in German, workbook with a sum',
    file: aWorkbook({
      formats: [
        [164, 'dd\\.mm\\.yyyy'],
        [165, '#,##0.00\\ [$€-407]'],
      ],
      sheets: [
        {
          name: 'Tabelle1',
          rows: sheetOf(
            ['Weiterbildung 2026'],
            ['Stand:', [MAY_9, 1]],
            [],
            ['Nachname', 'Vorname', 'Kurs', 'Abschluss am', 'Kosten'],
            ['Müller', 'Jürgen', 'Schweißen', [JANUARY_31, 1], [1250, 2]],
            ['Roth', 'Eva', 'Schweißen', [JANUARY_31, 1], [980.5, 2]],
            ['Weiß', 'Anna', 'Löten', [MAY_9, 1], [980.5, 2]],
            ['Gesamt', '', '', '', { sum: 3211 }],
          ),
        },
        { name: 'Tabelle2', rows: '' },
      ],
    }),
    headerRow: 4,
    rows: 3,
    left: [8],
    columns: [
      ['Nachname', 'string'],
      ['Vorname', 'string'],
      ['Kurs', 'string'],
      ['Abschluss am', 'date'],
      ['Kosten', 'number'],
    ],
    label: ['Nachname', 'Vorname'],
  },
  {
    // Columns as in guides of American registrars to the template of Banner's faculty grade entry.
    program: 'Banner, faculty grade entry',
    file: aWorkbook({
      sheets: [
        {
          name: 'Final Grades',
          rows: sheetOf(
            ['Term Code', 'CRN', 'Full Name', 'Student ID', 'Final Grade', 'Last Attend Date', 'Hours Attended'],
            ['202620', '10417', 'Molefe, Thandi N.', '900000417', 'A-', '', ''],
            ['202620', '10417', 'Botha, Pieter', '900000418', 'B', '', ''],
            ['202620', '10417', 'Nkosi, Zanele', '900000419', 'F', '04/17/2026', '12'],
          ),
        },
      ],
    }),
    headerRow: 1,
    rows: 3,
    left: [],
    columns: [
      ['Term Code', 'string'],
      ['CRN', 'string'],
      ['Full Name', 'string'],
      ['Student ID', 'reference'],
      ['Final Grade', 'string'],
      ['Last Attend Date', 'date'],
      ['Hours Attended', 'number'],
    ],
    label: ['Full Name'],
  },
]
