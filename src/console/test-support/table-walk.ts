import type { Visit } from '../../../test/support/browser.ts'
import type { Api } from '../../../test/support/server.ts'
import { chooseWho } from './choose-who.ts'

const TABLE = '/console/issue/table'
const HEAD = 'Family name;Given name;Degree;Awarded on;Grade;Campus'
const graduates = [
  'Molefe;Thandi;BSc Computer Science;31.01.2026;78,5;Pretoria',
  'Botha;Pieter;BSc;2026-01-31;sixty;Pretoria',
  ';Sipho;BCom;31.02.2026;71;Pretoria',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft;Anna;BA;;82,25;Wien',
]
/** What registrars' programs write around a table. */
const above = ['Faculty of Science, class of 2026', 'As of;31.01.2026', '']
const below = ['', 'Total: 4;;;;314,25', 'Not to be passed on']

/** Headings of no template, below a title. */
const GUESTS = [
  'Sommerfest 2026',
  'Gast;Konto;Datum;Betrag;E-Mail',
  'Lerato Mokoena;00417;31.01.2026;12,50;lerato@example.org',
  'Anna Dube;00418;01.02.2026;7,25;anna@example.org',
  'Summe;;;19,75',
]

/** People with and without an account, and one without an address. The first one has a card already. */
const people = [
  'Family name;Given name;Degree;Reference;Valid until;E-mail',
  'Molefe;Thandi;BSc;student-1;31.12.2099;thandi@example.org',
  'Dube;Sipho;BSc;student-90;31.12.2099;sipho@example.org',
  'Nkosi;Zanele;BSc;student-91;;',
]

/**
 * Paths of tables, and the id of a batch with a failed row. `bad` has rows to repair, and titles and totals around
 * them; `long` has many of them, in many columns; of `good` it was said who gets the cards, and one has a card already;
 * of `unknown` a new card is proposed.
 */
export type Tables = Readonly<Record<'bad' | 'long' | 'good' | 'unknown' | 'batch', string>>

/** Makes the tables and the batch. */
export async function makeTables(open: () => Promise<Visit>, school: Api, template: string): Promise<Tables> {
  const page = `${TABLE}?template=${template}`
  return {
    bad: await keepTable(open, page, [...above, HEAD, ...graduates, ...below]),
    long: await longTable(open, school),
    good: await chosenTable(open, page),
    unknown: await keepTable(open, '/console/issue', GUESTS),
    batch: await aBatch(school, template),
  }
}

/** Keeps a table as the person does. @returns its page */
async function keepTable(open: () => Promise<Visit>, from: string, lines: readonly string[]): Promise<string> {
  const { page, close } = await open()
  await page.goto(from)
  await page.getByLabel('Or paste the cells here').fill(lines.join('\n'))
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.waitForURL(/\/console\/issue\/table\/[0-9a-f-]{36}(\/card)?$/)
  const path = new URL(page.url()).pathname
  await close()
  return path
}

/** Keeps a table in which each row has a day that does not exist in ten columns. */
async function longTable(open: () => Promise<Visit>, school: Api): Promise<string> {
  const names = Array.from({ length: 10 }, (_, n) => `Prüfungsabschnitt ${n + 1} bestanden am`)
  const days = Object.fromEntries(names.map((name, n) => [`passed_${n}`, { type: 'date', name }]))
  const attributes = { holder: { type: 'string', name: 'Name', required: true }, ...days }
  const { body } = await school.post('/creds/templates/credentials', { name: 'Exams', code: 'exams', attributes })
  const rows = Array.from({ length: 30 }, (_, n) => [`Thandi Molefe ${n}`, ...names.map(() => '31.02.2026')].join(';'))
  return keepTable(open, `${TABLE}?template=${body.data.id}`, [['Name', ...names].join(';'), ...rows])
}

/** Keeps a table whose cards go into wallets. */
async function chosenTable(open: () => Promise<Visit>, from: string): Promise<string> {
  const path = await keepTable(open, from, people)
  const { page, close } = await open()
  await page.goto(path)
  await chooseWho(page, 'Into the wallets of our people')
  await close()
  return path
}

/** Issues a batch with a failed row, and waits for its end. @returns its id */
async function aBatch(school: Api, template: string): Promise<string> {
  const API = '/creds/credentials/issuance/batch'
  const items = [{ attributes: { family_name: 'A', given_name: 'B', degree: 'C' } }, { attributes: {} }]
  const accepted = await school.post(API, { credentialTemplateId: template, items, name: 'Class of 2026' })
  const { id } = accepted.body.data
  for (let tries = 0; tries < 10; tries += 1) {
    const { body } = await school.get(`${API}/${id}`, { prefer: 'wait=5' })
    if (body.data.status === 'completed') return id
  }
  throw new Error('the batch did not end')
}
