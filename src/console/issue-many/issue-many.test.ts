// A secretary issues diplomas from a spreadsheet: in a browser, with scripts and without.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, type Visit, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { aMailServer, type MailServer } from '../../mail/test-support/mail-server.ts'
import { aWorkbook } from '../../tables/test-support/a-workbook.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let school: Api
let secretary: SignedIn
let colleague: SignedIn
let template: string
let labelled: string
let mails: MailServer
before(async () => {
  mails = await aMailServer()
  ;[chirograph, browser] = await Promise.all([deploy({}, { SMTP_URL: mails.url }), openBrowser()])
  school = await chirograph.backend('acme')
  secretary = await signInAs(browser, chirograph, school, 'secretary', ['issuer'])
  colleague = await signInAs(browser, chirograph, school, 'colleague', ['issuer'])
  const made = await school.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes: {
      family_name: { type: 'string', name: 'Family name', required: true },
      given_name: { type: 'string', name: 'Given name', required: true },
      grade: { type: 'number', name: 'Grade' },
      awarded_on: { type: 'date', name: 'Awarded on' },
      honours: { type: 'boolean', name: 'Honours' },
    },
  })
  template = made.body.data.id
  const text = (name: string) => ({ type: 'string', name, required: true })
  const other = await school.post('/creds/templates/credentials', {
    name: 'Member',
    code: 'member',
    label: ['/family_name', '/given_name'],
    attributes: { family_name: text('Family name'), given_name: text('Given name') },
  })
  labelled = other.body.data.id
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await mails.close()
})

async function open(as: SignedIn, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, { storageState: as, acceptDownloads: true, ...options })
  opened.page.setDefaultTimeout(8000)
  return opened
}

const mailsTo = (name: string) => mails.mails.filter(({ to }) => to.includes(`<${name}@example.org>`)).length

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not happen')
}

/** Opens a page again until it shows a text. */
async function untilShown(page: Page, path: string, text: string): Promise<void> {
  await until(async () => {
    await page.goto(path)
    return page.getByText(text).first().isVisible()
  })
}

type File = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }
const csv = (text: string, name = 'graduates-2026.csv'): File => {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') }
}
const HEAD = 'Surname;Given name;Grade;Awarded on;Honours;Student no.;Campus'

/** 1,000 rows with semicolons, umlauts and decimal commas; every 50th has a word for its grade. */
function graduates(count = 1000): string {
  const rows = Array.from({ length: count }, (_, n) => {
    const grade = n % 50 === 7 ? 'sehr gut' : `${60 + (n % 40)},5`
    return `Müller-Lüdenscheidt ${n};Jürgen;${grade};31.01.2026;${n % 2 === 0 ? 'ja' : 'nein'};student-${n};Köln`
  })
  return [HEAD, ...rows].join('\r\n')
}

async function upload(page: Page, file: File): Promise<void> {
  await page.goto(`/console/issue/table?template=${template}`)
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'Check the table' }).click()
}

/** The offer of the last issuance with a reference. */
const offerOf = async (reference: string): Promise<string> => {
  const { body } = await school.get(`/creds/credentials?filter[reference]=${reference}`)
  return body.data[0].offerUri
}

const isOffered = async (reference: string) => {
  const { body } = await school.get(`/creds/credentials?filter[reference]=${reference}`)
  return body.data.length
}

for (const javaScriptEnabled of [true, false]) {
  test(`a table of 1,000 with semicolons, umlauts and 20 bad rows is repaired and issued: scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(secretary, { javaScriptEnabled })
    const from = performance.now()
    await page.goto('/console/issue')
    await page.getByRole('link', { name: 'From a table: Diploma' }).click()
    await page.getByLabel('File').setInputFiles(csv(graduates()))
    const sent = performance.now()
    await page.getByRole('button', { name: 'Check the table' }).click()
    await page.getByText('A column is missing').waitFor()
    console.log(`1,000 rows read and checked in ${Math.round(performance.now() - sent)} ms`)
    await page.getByLabel('“Surname” becomes').selectOption({ label: 'Family name *' })
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('20 of 1,000 rows cannot be issued').waitFor()
    assert.match(await page.title(), /^Error: /)
    assert.equal(await page.getByLabel('Characters').inputValue(), 'windows-1252')
    assert.equal(await page.getByLabel('Between cells').inputValue(), 'semicolon')
    assert.equal(await page.getByLabel('Decimal sign').inputValue(), 'comma')
    await page.getByRole('link', { name: 'Row 9: Write Grade as a number, such as 60.5' }).click()
    const cells = page.getByRole('textbox', { name: /^Grade, row/ })
    assert.equal(await cells.count(), 20)
    for (let at = 0; at < 20; at += 1) await cells.nth(at).fill('91,5')
    await page.getByRole('button', { name: 'Check the repairs' }).click()
    await page.getByText('All 1,000 rows are ready').waitFor()
    await chooseWho(page)
    const issued = performance.now()
    await page.getByRole('button', { name: 'Issue 1,000 credentials' }).click()
    await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?by=links$/)
    await page.getByText('Finished').waitFor({ timeout: 30_000 })
    console.log(
      `1,000 issued and shown in ${Math.round(performance.now() - issued)} ms; all in ${Math.round(performance.now() - from)} ms`,
    )
    assert.deepEqual(await page.locator('dd.figure').allInnerTexts(), ['1,000', '0', '0', '1,000'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'List with links (CSV)' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 1001)
    assert.equal(lines[0], `${HEAD.replaceAll(';', ',')},Link,State,What is wrong`)
    assert.match(
      lines[1] ?? '',
      /^Müller-Lüdenscheidt 0,Jürgen,"60,5",31.01.2026,ja,student-0,Köln,http[^,]+,Issued,""$/,
    )
    const offer = await offerOf('student-0')
    const wallet = await chirograph.wallet('acme', 'thandi')
    const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: offer })
    assert.deepEqual(received.body.data[0].claims, {
      family_name: 'Müller-Lüdenscheidt 0',
      given_name: 'Jürgen',
      grade: 60.5,
      awarded_on: '2026-01-31',
      honours: true,
    })
    assert.equal(await isOffered('student-999'), javaScriptEnabled ? 1 : 2)
    await page.goto('/console/batches')
    await page.getByRole('link', { name: 'graduates-2026.csv' }).first().waitFor()
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('the good rows are issued, the bad ones taken home and issued alone', async () => {
  const { page, close } = await open(secretary)
  const rows = ['Dube;Sipho;=1+1;31.01.2026;;home-1;', ';Zanele;60;31.02.2026;;home-2;', 'Botha;Anna;70;;;home-3;']
  await upload(page, csv([HEAD.replace('Surname', 'Family name'), ...rows].join('\n')))
  await page.getByText('2 of 3 rows cannot be issued').waitFor()
  await page.getByRole('link', { name: 'Row 3: Family name is missing' }).waitFor()
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 1 credential' }).click()
  await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?table=.*&by=links$/)
  await page.getByText('Finished').waitFor()
  await page.getByRole('link', { name: 'Repair the other rows' }).click()
  await page.getByText('1 rows are in a batch').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Take the 2 rows home as CSV' }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  assert.match(text, /^\ufeffFamily name;Given name;Grade;Awarded on;Honours;Student no\.;Campus;What is wrong\r\n/)
  assert.match(text, /Dube;Sipho;'=1\+1;31\.01\.2026;"";home-1;"";Write Grade as a number, such as 60\.5\r\n/)
  assert.match(text, /Family name is missing; Awarded on: this day does not exist"\r\n$/)
  const mended = text.replace("'=1+1", '66').replace('"";Zanele;60;31.02.2026', 'Nkosi;Zanele;60;28.02.2026')
  await upload(page, { name: 'mended.csv', mimeType: 'text/csv', buffer: Buffer.from(mended) })
  await page.getByText('All 2 rows are ready').waitFor()
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 2 credentials' }).click()
  await page.getByText('Finished').waitFor()
  assert.deepEqual([await isOffered('home-1'), await isOffered('home-2'), await isOffered('home-3')], [1, 1, 1])
  await close()
})

test('a table that is issued twice at once, or by a form sent again, is issued once', async () => {
  const { page, close } = await open(secretary)
  await upload(page, csv(`${HEAD.replace('Surname', 'Family name')}\nDube;Sipho;1;;;twice-1;`))
  await page.getByText('The row is ready').waitFor()
  await chooseWho(page)
  const answers = await page.evaluate<string[]>(`(async () => {
    const form = document.querySelector('main form'); const body = new URLSearchParams(new FormData(form)); body.append('do', 'issue')
    const post = async () => new URL((await fetch(form.action, { method: 'POST', body })).url).pathname
    return [...await Promise.all([post(), post()]), await post()] })()`)
  assert.match(answers[0] ?? '', /^\/console\/(batches|issue\/table)\//)
  await page.reload()
  await page.getByText('1 rows are in a batch').waitFor()
  const draft = page.url()
  await page.getByRole('link', { name: 'Batch 1' }).click()
  await page.getByText('Finished').waitFor()
  assert.equal(await isOffered('twice-1'), 1)
  await page.goto(draft)
  assert.equal(await page.getByRole('button', { name: /^Issue/ }).count(), 0)
  const there = await open(colleague)
  assert.equal((await there.page.goto(page.url()))?.status(), 404, 'a draft is the own one of its person')
  await there.page.getByText('This table is not kept any more').waitFor()
  await Promise.all([close(), there.close()])
})

test('cells can be pasted; what was guessed can be changed, and the file is read anew', async () => {
  const { page, close } = await open(secretary)
  await page.goto(`/console/issue/table?template=${template}`)
  await page
    .getByLabel('Or paste the cells here')
    .fill('Family name\tGiven name\tAwarded on\tCam;pus\nDube\tSipho\t01/02/2026\tA;B')
  await page.getByRole('button', { name: 'Check the table' }).click()
  const both = 'Awarded on: 01/02/2026 can be 2026-02-01 or 2026-01-02'
  await page.getByRole('link', { name: `Row 2: ${both}` }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Issue/ }).count(), 0, 'a date is not guessed')
  await page.getByLabel('Dates').selectOption('mdy')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('The row is ready').waitFor()
  await chooseWho(page)
  await page.getByLabel('Decimal sign').selectOption('comma')
  await page.getByRole('button', { name: 'Issue 1 credential' }).click()
  await page.getByText('Your changes were checked').waitFor()
  assert.equal(await page.getByLabel('Dates').inputValue(), 'mdy', 'a change is shown before it is issued')
  await page.getByLabel('Between cells').selectOption('semicolon')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('A column is missing').waitFor()
  await page.getByLabel('“Family name').first().waitFor()
  await close()
})

for (const javaScriptEnabled of [true, false]) {
  test(`titles and totals around a table are told, and both can be chosen otherwise: scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(secretary, { javaScriptEnabled })
    const head = HEAD.replace('Surname', 'Family name')
    const rows = ['Molefe;Thandi;71;31.01.2026;ja;around-1;Köln', 'Botha;Pieter;64;31.01.2026;nein;around-2;Köln']
    await upload(
      page,
      csv(['Absolventen, Sommer 2026', 'Stand: 31.01.2026', '', head, ...rows, '', 'Summe;;135'].join('\n')),
    )
    await page.getByText('All 2 rows are ready').waitFor()
    await page.getByText('The headings are in row 4.').waitFor()
    await page.getByText('One row was left out').waitFor()
    await page.getByText('Row 8: Summe · 135').waitFor()
    await page.getByRole('link', { name: 'Read them as well' }).click()
    await page.getByLabel('Read also totals, remarks and the like').check()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('link', { name: 'Row 8: Given name is missing' }).waitFor()
    await page.getByLabel('Read also totals, remarks and the like').uncheck()
    await page
      .getByLabel('Headings', { exact: true })
      .selectOption({ label: 'Row 5: Molefe · Thandi · 71 · 31.01.2026 · ja · around-1' })
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The headings are in row 5.').waitFor()
    await page.getByText('A column is missing').waitFor()
    await page.getByLabel('Headings', { exact: true }).selectOption('4')
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('All 2 rows are ready').waitFor()
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('a workbook is read as it is shown, from the sheet whose headings fit; its formulas are not run', async () => {
  const { page, close } = await open(secretary)
  const text = (shown: string) => `<c t="inlineStr"><is><t>${shown}</t></is></c>`
  const calculated = '<c t="str"><f>1+1</f><v>Zanele</v></c>'
  const numbers = '<c s="3"><v>77.5</v></c><c s="1"><v>46053</v></c><c s="2"><v>417</v></c>'
  const row = `<row>${text('Nkosi')}${calculated}${numbers}</row>`
  const broken = `<row><c t="e"><v>#N/A</v></c>${text('Anna')}</row>`
  const heads = `<row>${['Family name', 'Given name', 'Grade', 'Awarded on', 'Reference'].map(text).join('')}</row>`
  const bytes = aWorkbook({
    sheets: [
      { name: 'Read me', rows: `<row>${text('Fill in the other sheet')}</row>` },
      { name: 'Class', rows: `${heads}${row}${row}${broken}` },
    ],
    formats: [[14], [164, '00000'], [165, '0.00']],
  })
  await upload(page, { name: 'class.xlsx', mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) })
  await page
    .getByRole('link', { name: 'Row 4: Family name: the cell shows the error #N/A instead of a value' })
    .waitFor()
  await page.getByText('Row 3 is the same as row 2').waitFor()
  assert.equal(await page.getByLabel('Sheet').inputValue(), 'Class')
  await page.getByRole('button', { name: 'All (3)' }).click()
  for (const shown of ['77.50', '2026-01-31', '00417', 'Same as row 2'])
    await page.getByRole('cell', { name: shown }).first().waitFor()
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 2 credentials' }).click()
  await page.getByText('Finished').waitFor()
  await until(async () => (await isOffered('00417')) === 2)
  await upload(page, { name: 'class.xlsx', mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) })
  await page.getByLabel('Sheet').selectOption('Read me')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('alert').getByText('The table is empty').waitFor()
  await close()
})

test('rows that are taken home and sent again have no apostrophes of ours', async () => {
  const { page, close } = await open(secretary)
  const head = HEAD.replace('Surname', 'Family name')
  await upload(page, csv(`${head}\n+27 82;-A;x;;;home-9;`))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Take the 1 row home as CSV' }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  assert.match(text, /'\+27 82;'-A;x;/)
  await upload(page, { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text.replace(';x;', ';80;')) })
  await page.getByText('The row is ready').waitFor()
  await page.getByRole('cell', { name: '+27 82', exact: true }).first().waitFor()
  await close()
})

test('what is no table is said before anything else, and what was pasted stays', async () => {
  const { page, close } = await open(secretary, { javaScriptEnabled: false })
  const named = HEAD.replace('Surname', 'Family name')
  const files: readonly (readonly [File, RegExp])[] = [
    [
      { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n\u0000\u0001') },
      /not a table that can be read/,
    ],
    [csv('PK\x03\x04nothing', 'broken.xlsx'), /not a table that can be read/],
    [csv(''), /The table is empty/],
    [csv(named), /The table is empty/],
    [csv(`${named}\n"Dube;Sipho`), /Row 2: The quotation marks do not fit/],
    [csv(`${named}\n${'a;b\n'.repeat(10_001)}`), /more than 10,000 rows/],
    [csv(`${named}\n${'x'.repeat(8 * 1024 * 1024)}`), /larger than 8 MB/],
    [csv(`${named}\n${'x'.repeat(10_001)};b`), /Row 2: A cell has more than 10,000 characters/],
    [csv(`${'a;'.repeat(101)}\nb`), /at most 100/],
  ]
  await page.goto(`/console/issue/table?template=${template}`)
  for (const [file, words] of files) {
    await page.getByLabel('Or paste the cells here').fill('kept')
    await page.getByLabel('File').setInputFiles(file)
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'POST'),
      page.getByRole('button', { name: 'Check the table' }).click(),
    ])
    assert.equal(response.status(), 400, String(words))
    await page.getByRole('alert').getByText(words).waitFor()
    assert.match(await page.title(), /^Error: /)
    assert.equal(await page.getByLabel('Or paste the cells here').inputValue(), 'kept')
  }
  await close()
})

test('a large body without a session is not read: the browser is led to the sign-in', async () => {
  const body = new FormData()
  body.set('file', new Blob(['x'.repeat(300_000)]), 'a.csv')
  const send = (headers: Record<string, string>) =>
    fetch(`${chirograph.url}/console/issue/table`, { method: 'POST', body, headers, redirect: 'manual' })
  const answer = await send({ 'sec-fetch-site': 'same-origin' })
  assert.equal(answer.status, 303)
  assert.match(answer.headers.get('location') ?? '', /^\/session\/start\?to=/)
  assert.equal((await send({ 'sec-fetch-site': 'cross-site' })).status, 403)
})

test('rows of a batch that failed say why in the language of the page', async () => {
  const attributes = { family_name: 'Dlamini', given_name: 'Sipho', grade: 'six' }
  const { body } = await school.post('/creds/credentials/issuance/batch', {
    credentialTemplateId: template,
    items: [{ attributes: { family_name: 'Nkosi' } }, { attributes }],
  })
  const { page, close } = await open(secretary, { locale: 'fr-FR', javaScriptEnabled: false })
  await until(async () => {
    await page.goto(`/console/batches/${body.data.id}`)
    return page.getByRole('heading', { name: 'Lignes en échec' }).isVisible()
  })
  const failed = await page.getByRole('table', { name: 'Lignes en échec' }).innerText()
  assert.match(failed, /Given name\s: Valeur manquante/)
  assert.match(failed, /Grade\s: Écrivez un nombre/)
  await close()
})

test('rows for people who are no users, or are disabled, are not ready; of those that were issued, failed ones are told', async () => {
  const { page, troubles, close } = await open(secretary)
  await page.goto(`/console/issue/table?template=${labelled}`)
  const rows = ['Molefe;Thandi;thandi@example.org', 'Dube;Sipho;sipho@example.org', 'Gone;Gone;gone@example.org']
  await page.getByLabel('File').setInputFiles(csv(['Family name;Given name;E-Mail', ...rows].join('\n'), 'people.csv'))
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.getByText('All 3 rows are ready').waitFor()
  await chooseWho(page, 'Into the wallets of our people')
  await page.getByText('2 of 3 rows cannot be issued').waitFor()
  await page
    .getByRole('link', { name: 'Row 3: Nobody in your organisation who is enabled has sipho@example.org' })
    .waitFor()
  await page
    .getByRole('link', { name: 'Row 4: Nobody in your organisation who is enabled has gone@example.org' })
    .waitFor()
  const draft = page.url()
  const leaves = { username: 'leaver', email: 'leaver@example.org', firstName: 'L', lastName: 'L', roles: [] }
  assert.equal((await school.post('/onboarding/users', leaves)).status, 201)
  await page.getByRole('textbox', { name: /row 3$/ }).fill('leaver@example.org')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('1 of 3 rows cannot be issued').waitFor()
  assert.equal((await school.patch('/onboarding/users/leaver', { enabled: false })).status, 200)
  await page.getByRole('button', { name: 'Issue 2 credentials' }).click()
  await untilShown(page, draft, '1 of the rows in these batches could not be issued')
  await page.getByText('1 of 2 issued, 1 failed').waitFor()
  assert.deepEqual(troubles, [])
  await close()
})

test('offers of a table are mailed, with a label in lists; what was not sent is a need, and is offered again', async () => {
  const { page, troubles, close } = await open(secretary)
  await page.goto(`/console/issue/table?template=${labelled}`)
  const rows = ['Dube;Sipho;sipho@example.org', 'Botha;Anna;anna at home', 'Nkosi;Zanele;']
  await page.getByLabel('File').setInputFiles(csv(['Family name;Given name;E-mail', ...rows].join('\n'), 'mailed.csv'))
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.getByText('All 3 rows are ready').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Issue/ }).count(), 0, 'it was not said who gets the cards')
  await page.getByRole('button', { name: 'Next: who gets it' }).click()
  await page.getByText('The column “E-mail” has an address in 1 of 3 rows').waitFor()
  assert(await page.getByRole('radio', { name: 'By e-mail with a link' }).isChecked())
  await page.getByRole('button', { name: 'Check who is reached' }).click()
  await page.getByText('A mail with a link goes to the address in “E-mail”').waitFor()
  await page.getByText('In one row the cell is empty').waitFor()
  await page.getByRole('link', { name: 'Row 3: Write an e-mail address' }).click()
  await page.getByRole('textbox', { name: /^Send the offer by mail to, row/ }).fill('anna@example.org')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('All 3 rows are ready').waitFor()
  assert.equal(await page.getByLabel('The offers expire in').locator('option:checked').textContent(), '7 days')
  await page.getByRole('button', { name: 'Issue 3 credentials' }).click()
  await page.getByText('Finished').waitFor()
  await until(async () => mailsTo('sipho') + mailsTo('anna') === 2)
  const batch = page.url()
  await untilShown(page, batch, 'Sent: 2 · Being sent: 0 · Not sent: 0')
  await page.goto(`/console/credentials?template=${labelled}`)
  await page.getByRole('cell', { name: 'Dube Sipho' }).waitFor()

  mails.refuses = true
  await page.goto(`/console/issue/${labelled}`)
  await page.getByLabel('Family name').fill('Mokoena')
  await page.getByLabel('Given name').fill('Lerato')
  await page.getByLabel('Send the offer by mail to').fill('lerato')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByLabel('Family name').inputValue(), 'Mokoena')
  await page.getByLabel('Send the offer by mail to').fill('lerato@example.org')
  await page.getByLabel('Language of the mail').selectOption('fr')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.waitForURL(/\/console\/credentials\/[0-9a-f-]{36}$/)
  const here = page.url()
  await untilShown(page, here, 'The mail server did not accept the address or the mail.')
  mails.refuses = false
  await untilShown(page, '/console', 'One offer could not be sent by mail')
  await page.getByRole('listitem').filter({ hasText: 'by mail' }).getByRole('link').click()
  await page.getByRole('row').filter({ hasText: 'Mokoena Lerato' }).getByText('Mail not sent').waitFor()

  await page.goto(`${here}/offer`)
  await page.getByLabel('Send the offer by mail to').fill('lerato.m@example.org')
  await page.getByLabel('The offer ends after').selectOption({ label: '30 days' })
  await page.getByRole('button', { name: 'Offer again' }).click()
  await page.waitForURL(here)
  await until(async () => mailsTo('lerato.m') === 1)
  const { expiresAt, label } = (await school.get(`/creds/credentials/${here.split('/').at(-1)}`)).body.data
  const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
  assert(days > 29.9 && days <= 30, expiresAt)
  assert.equal(label, 'Mokoena Lerato')
  assert.deepEqual(troubles, [])
  await close()
})
