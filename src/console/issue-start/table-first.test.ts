// From a table alone to cards that are issued: the template that fits is found, or one is made of the table.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visit, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let school: Api
let secretary: SignedIn
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  school = await chirograph.backend('acme')
  secretary = await signInAs(browser, chirograph, school, 'secretary', ['issuer'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

async function open(javaScriptEnabled = true): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, { storageState: secretary, javaScriptEnabled })
  opened.page.setDefaultTimeout(8000)
  return opened
}

const HEAD = 'Lfd. Nr.;Vorname;Nachname;Geburtsdatum;Studiengang;Note;Bestanden;Matrikel-Nr.;PLZ;Hochschule'

/** 320 graduates as a registrar exports them. */
function graduates(head = HEAD): string {
  const rows = Array.from({ length: 320 }, (_, at) => {
    const day = `${String((at % 28) + 1).padStart(2, '0')}.03.1999`
    const note = `${1 + (at % 3)},${at % 10}`
    return `${at + 1};Thandi ${at};Müller;${day};Physik ${at % 4};${note};ja;00${4000 + at};0800${at % 9};HS Bern`
  })
  return [head, ...rows].join('\r\n')
}

async function begin(page: Page, text: string, name = 'diplome_2026.csv'): Promise<void> {
  await page.goto('/console/issue')
  await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Check the table' }).click()
}

for (const isScripted of [true, false])
  test(`a table alone becomes 320 cards: scripts ${isScripted ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(isScripted)
    await begin(page, graduates())
    await page.getByText('Geburtsdatum').first().waitFor()
    assert.match(page.url(), /\/card$/)
    assert.equal(await page.getByLabel('Name of the card').inputValue(), 'Diplome 2026')
    const kinds = await Promise.all(HEAD.split(';').map((name) => page.getByLabel(`“${name}” becomes`).inputValue()))
    assert.deepEqual(kinds, ['', 'string', 'string', 'date', 'string', 'number', 'boolean', '', 'string', 'string'])
    await page.getByText('A date: 320 of 320 cells are dates.').waitFor()
    await page.getByText('A decimal number: 320 of 320 cells are numbers.').waitFor()
    await page.locator('.credential').getByText('Thandi 0 · Müller').waitFor()
    const name = `Diplom ${isScripted}`
    await page.getByLabel('Name of the card').fill(name)
    await page.getByLabel('Colour').fill('#14532d')
    if (isScripted) await page.locator('.credential').getByText(name).waitFor()
    await page.getByRole('button', { name: 'Make this card' }).click()
    await page.getByText('All 320 rows are ready').waitFor()
    assert.equal(await page.getByLabel('What to issue').locator('option:checked').innerText(), name)
    await chooseWho(page)
    await page.getByRole('button', { name: 'Issue 320 credentials' }).click()
    await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?by=links$/)
    await page.getByText('Finished').waitFor({ timeout: 30_000 })
    assert.deepEqual(troubles, [])
    await close()
    const { data: templates } = (await school.get('/creds/templates/credentials')).body
    const made = templates.find((one: { name: string }) => one.name === name)
    assert.deepEqual(made.label, ['/vorname', '/nachname'])
    assert.equal(made.display.backgroundColor, '#14532d')
    assert.deepEqual(made.attributes.note, { type: 'number', name: 'Note', required: true })
    assert.equal(made.attributes.hochschule.alwaysDisclosed, true, 'the same in all rows')
    const { data: found } = (await school.get('/creds/credentials?filter[reference]=004007')).body
    assert(found.some((one: { templateName: string }) => one.templateName === name))
    assert.equal((await school.delete(`/creds/templates/credentials/${made.id}`)).status, 200)
  })

for (const isScripted of [true, false])
  test(`titles and totals are told before a card is made of a table, and another row can be chosen: scripts ${isScripted ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(isScripted)
    const titles = ['Absolventen, Sommer 2026', 'Stand: 12.05.2026', '']
    await begin(page, [...titles, graduates(), '', 'Anzahl: 320'].join('\r\n'))
    await page.getByText('The headings are in row 4.').waitFor()
    await page.getByText('Row 326: Anzahl: 320').waitFor()
    await page.getByText('A date: 320 of 320 cells are dates.').waitFor()
    await page.getByRole('link', { name: 'Choose another row for the headings' }).click()
    await page.getByLabel('Headings', { exact: true }).selectOption('5')
    await page.getByRole('button', { name: 'Read the file again' }).click()
    await page.getByText('The headings are in row 5.').waitFor()
    assert.match(page.url(), /\/card$/)
    await page.getByText('A date: 319 of 319 cells are dates.').waitFor()
    await page.getByLabel('“Thandi 0” becomes').waitFor()
    await page.getByLabel('Headings', { exact: true }).selectOption('4')
    await page.getByRole('button', { name: 'Make this card' }).click()
    await page.getByLabel('“Vorname” becomes').waitFor()
    assert.match(page.url(), /\/card$/, 'a card is made of what the person has seen')
    const name = `Sommer ${isScripted}`
    await page.getByLabel('Name of the card').fill(name)
    await page.getByRole('button', { name: 'Make this card' }).click()
    await page.getByText('All 320 rows are ready').waitFor()
    await page.getByText('One row was left out').waitFor()
    assert.deepEqual(troubles, [])
    await close()
    const { data } = (await school.get(`/creds/templates/credentials?search[name]=${encodeURIComponent(name)}`)).body
    assert.equal((await school.delete(`/creds/templates/credentials/${data[0].id}`)).status, 200)
  })

test('the template whose attributes fit is taken, and another one, or a new one, can be chosen', async () => {
  const text = (name: string) => ({ type: 'string', name, required: true })
  const names = { vorname: text('Vorname'), nachname: text('Nachname') }
  const fits = { ...names, note: { type: 'number', name: 'Note' }, studiengang: text('Studiengang') }
  for (const [name, attributes] of Object.entries({ Ausweis: names, Zeugnis: fits, Ticket: { seat: text('Seat') } }))
    await school.post('/creds/templates/credentials', { name, code: name.toLowerCase(), attributes })
  const { page, close } = await open()
  await begin(page, graduates())
  await page.getByText('All 320 rows are ready').waitFor()
  const what = page.getByLabel('What to issue')
  assert.equal(await what.locator('option:checked').innerText(), 'Zeugnis')
  await what.selectOption({ label: 'Ausweis' })
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('All 320 rows are ready').waitFor()
  assert.equal(await what.locator('option:checked').innerText(), 'Ausweis')
  assert.equal(await page.getByLabel('“Note” becomes').inputValue(), '')
  await what.selectOption({ label: 'A new kind of card, made from this table' })
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByLabel('Name of the card').fill('Zeugnis')
  await page.getByRole('button', { name: 'Make this card' }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByLabel('Name of the card').getAttribute('aria-invalid'), 'true', 'there is one already')
  await page.getByLabel('“Studiengang” becomes').selectOption('')
  await page.getByLabel('Name of the card').fill('Leistung')
  await page.getByRole('button', { name: 'Make this card' }).click()
  await page.getByText('All 320 rows are ready').waitFor()
  assert.equal(await page.getByLabel('“Studiengang” becomes').inputValue(), '')
  await close()
})

test('a card that nothing names is warned about, and one without a column is not made', async () => {
  const { page, close } = await open()
  await begin(page, 'Punkte;E-Mail\n12;a@example.org\n13;b@example.org')
  await page.getByText('No column names the card').waitFor()
  await page.getByText('In the next step you choose whether the cards are sent there').waitFor()
  await page.getByLabel('“Punkte” becomes').selectOption('')
  await page.getByRole('button', { name: 'Make this card' }).click()
  await page.getByRole('alert').getByText('Choose at least one column').waitFor()
  await page.getByLabel('“Punkte” becomes').selectOption('number')
  await page.getByRole('button', { name: 'Make this card' }).click()
  await page.getByText('All 2 rows are ready').waitFor()
  await page.getByRole('button', { name: 'Next: who gets it' }).click()
  await page.getByText('this server sends no mail').waitFor()
  assert(await page.getByRole('radio', { name: 'By e-mail with a link' }).isDisabled())
  await close()
})

test('an organisation that follows HAIP is told that it issues no tables, before anything is chosen', async () => {
  const globex = await chirograph.backend('globex')
  const attributes = { name: { type: 'string', name: 'Name', required: true } }
  const made = await globex.post('/creds/templates/credentials', { name: 'Badge', code: 'badge', attributes })
  const clerk = await signInAs(browser, chirograph, globex, 'clerk', ['issuer'])
  assert.equal((await globex.patch('/onboarding/organisation', { haip: true })).status, 200)
  const { page, close } = await visit(browser, chirograph.url, { storageState: clerk })
  // Of two servers the other one notices within five seconds.
  await until(async () => {
    await page.goto(`/console/issue/table?template=${made.body.data.id}`)
    await page.getByLabel('Or paste the cells here').fill('Name\nThandi')
    await page.getByRole('button', { name: 'Check the table' }).click()
    return page.getByText('Your organisation follows HAIP, where who signs in takes a card').isVisible()
  }, 500)
  await close()
})
