// Who gets the cards of a table, and how: what is proposed, what is ready, and who is invited.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeDefects, layoutDefects, openBrowser, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import { aMailServer, type MailServer } from '../../mail/test-support/mail-server.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'
import { peopleColumns } from './recipient-choice.ts'

let chirograph: Deployment
let browser: Browser
let school: Api
let registrar: SignedIn
let secretary: SignedIn
let template: string
let mails: MailServer
before(async () => {
  mails = await aMailServer()
  ;[chirograph, browser] = await Promise.all([deploy({}, { SMTP_URL: mails.url }), openBrowser()])
  school = await chirograph.backend('acme')
  registrar = await signInAs(browser, chirograph, school, 'registrar', ['issuer', 'user-admin'])
  secretary = await signInAs(browser, chirograph, school, 'secretary', ['issuer'])
  const text = (name: string) => ({ type: 'string', name, required: true })
  const made = await school.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes: { family_name: text('Family name'), given_name: text('Given name'), grade: { type: 'number' } },
  })
  template = made.body.data.id
  for (const [name, enabled] of Object.entries({ ada: true, ben: true, cem: true, out: false })) {
    const person = { email: `${name}@example.org`, externalIdentifier: `S-${name}`, enabled }
    assert.equal((await school.post('/onboarding/users', person)).status, 201)
  }
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await mails.close()
})

async function open(as: SignedIn, javaScriptEnabled = true) {
  const opened = await visit(browser, chirograph.url, { storageState: as, javaScriptEnabled })
  opened.page.setDefaultTimeout(8000)
  return opened
}

const HEAD = 'Family name;Given name;Grade;E-Mail;Student no.'

/** Keeps a table of people by the name of their address. */
async function paste(page: Page, names: readonly string[], grade = '1'): Promise<void> {
  const rows = names.map((name) => `Of ${name};${name};${grade};${name}@example.org;S-${name}`)
  await page.goto(`/console/issue/table?template=${template}`)
  await page.getByLabel('Or paste the cells here').fill([HEAD, ...rows].join('\n'))
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.waitForURL(/\/console\/issue\/table\/[0-9a-f-]{36}$/)
}

/** Waits for the end of the batch of a page. @returns its figures: issued, failed, waiting, all */
async function figures(page: Page): Promise<readonly string[]> {
  await page.waitForURL(/\/console\/batches\//)
  await page.getByText('Finished').waitFor()
  return page.locator('dd.figure').allInnerTexts()
}

async function credentialsOf(reference: string): Promise<readonly { readonly recipient?: object }[]> {
  return (await school.get(`/creds/credentials?filter[reference]=${reference}`)).body.data
}

const mailsTo = (name: string) => mails.mails.filter(({ to }) => to.includes(`<${name}@example.org>`)).length

/** How often a person was invited. */
async function invitations(username: string): Promise<number> {
  const { id } = (await school.get(`/onboarding/users/${username}`)).body.data
  const query = `filter[action]=user.link_created&filter[subject]=${id}`
  return (await school.get(`/creds/audit?${query}`)).body.data.length
}

for (const isScripted of [true, false])
  test(`what is ready is issued, into wallets by e-mail and by number: scripts ${isScripted ? 'on' : 'off'}`, async () => {
    for (const key of ['E-Mail (e-mail address)', 'Student no. (number of the person)']) {
      const { page, troubles, close } = await open(secretary, isScripted)
      await paste(page, ['ada', 'ben', 'cem', 'out', 'nobody'])
      await page.getByRole('button', { name: 'Next: who gets it' }).click()
      await page.getByText('Accounts found by “E-Mail”: 3 of 5 rows that were looked up.').waitFor()
      assert(await page.getByRole('radio', { name: 'Into the wallets of our people' }).isChecked())
      await page.getByLabel('People are matched by').selectOption({ label: key })
      await page.getByRole('button', { name: 'Check who is reached' }).click()
      await page.getByText('2 of 5 rows cannot be issued').waitFor()
      await page.getByText('3 rows reach their people').waitFor()
      await page.getByText('One person has no account').waitFor()
      await page.getByText('One row reaches nobody').waitFor()
      assert.equal(await page.getByRole('checkbox', { name: /^Invite/ }).count(), 0, 'the secretary manages no people')
      const before = (await credentialsOf('S-ada')).length
      await page.getByRole('button', { name: 'Issue 3 credentials' }).click()
      assert.deepEqual(await figures(page), ['3', '0', '0', '3'])
      const [newest, ...others] = await credentialsOf('S-ada')
      assert.equal(others.length, before)
      assert(newest?.recipient !== undefined)
      assert.deepEqual(await credentialsOf('S-nobody'), [])
      assert.deepEqual(troubles, [])
      await close()
    }
  })

test('who has no account is invited with one tick, once, and gets the card into the new wallet', async () => {
  const { page, troubles, close } = await open(registrar)
  await paste(page, ['ada', 'dan', 'eve', 'out'])
  await chooseWho(page, 'Into the wallets of our people')
  await page.getByText('2 people have no account').waitFor()
  await page.getByRole('checkbox', { name: 'Invite the 2 people who have no account' }).check()
  await page.getByRole('button', { name: 'Issue 1 credential' }).click()
  await page.getByText('Your changes were checked').waitFor()
  assert.equal((await school.get('/onboarding/users/dan@example.org')).status, 404, 'nobody was invited unseen')
  await page.getByText('1 of 4 rows cannot be issued').waitFor()
  await page.getByRole('button', { name: 'Invite 2, issue 3' }).click()
  assert.deepEqual(await figures(page), ['3', '0', '0', '3'])
  const { data } = (await school.get('/onboarding/users/dan@example.org')).body
  assert.deepEqual([data.firstName, data.lastName, data.enabled], ['dan', 'Of dan', true])
  assert((await credentialsOf('S-eve'))[0]?.recipient !== undefined)
  await until(() => mailsTo('dan') > 0 && mailsTo('eve') > 0)
  assert.equal(mailsTo('out'), 0)
  await page.getByRole('link', { name: 'Repair the other rows' }).click()
  await page.getByText('1 of 4 rows cannot be issued').waitFor()
  assert.deepEqual(troubles, [])
  await close()
})

test('a person who cannot be invited stays in the table with the reason', async () => {
  const { page, close } = await open(registrar)
  await paste(page, ['ada', 'fay'])
  await chooseWho(page, 'Into the wallets of our people')
  await page.getByRole('checkbox', { name: 'Invite the person who has no account' }).check()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('button', { name: 'Invite 1, issue 2' }).waitFor()
  // Meanwhile somebody else made the account, and disabled it.
  assert.equal((await school.post('/onboarding/users', { email: 'fay@example.org', enabled: false })).status, 201)
  await page.getByRole('button', { name: 'Invite 1, issue 2' }).click()
  assert.deepEqual(await figures(page), ['1', '0', '0', '1'])
  await page.getByRole('link', { name: 'Repair the other rows' }).click()
  await page.getByText('The user is disabled.').first().waitFor()
  assert.deepEqual(await credentialsOf('S-fay'), [])
  await close()
})

/** Sends the form of a page twice at once. @returns where each press leads */
function pressTwice(page: Page, verb: string): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(async () => {
    const form = document.querySelector('main form')
    const body = new URLSearchParams(new FormData(form))
    body.append('do', '${verb}')
    const press = async () => new URL((await fetch(form.action, { method: 'POST', body })).url).pathname
    return Promise.all([press(), press()])
  })()`)
}

test('a button that is pressed twice invites each person once, and issues each row once', async () => {
  const { page, troubles, close } = await open(registrar)
  const names = Array.from({ length: 4 }, (_, at) => `twice${at}`)
  await paste(page, ['ada', ...names])
  await chooseWho(page, 'Into the wallets of our people')
  await page.getByRole('checkbox', { name: 'Invite the 4 people who have no account' }).check()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('button', { name: 'Invite 4, issue 5' }).waitFor()
  const presses = await pressTwice(page, 'issue')
  const [batch = '', ...others] = presses.filter((path) => path.startsWith('/console/batches/'))
  assert.deepEqual(others, [], 'the other press leads to the table')
  await page.goto(batch)
  assert.deepEqual(await figures(page), ['5', '0', '0', '5'])
  const counts = await Promise.all(names.map(async (name) => invitations(`${name}@example.org`)))
  assert.deepEqual(new Set(counts), new Set([1]))
  assert.deepEqual(troubles, [])
  await close()
})

test('a choice that is sent twice at once leads to the table both times', async () => {
  const { page, close } = await open(secretary)
  await paste(page, ['ada', 'ben', 'cem'])
  const { pathname: table } = new URL(page.url())
  await page.getByRole('button', { name: 'Next: who gets it' }).click()
  await page.waitForURL(/\/who$/)
  assert.deepEqual(await pressTwice(page, ''), [table, table])
  await close()
})

test('without a column of people nothing is sent, and the page of the batch begins with what was chosen', async () => {
  const { page, close } = await open(secretary, false)
  await page.goto(`/console/issue/table?template=${template}`)
  await page.getByLabel('Or paste the cells here').fill('Family name;Given name\nDube;Sipho')
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.getByRole('button', { name: 'Next: who gets it' }).click()
  for (const way of ['Into the wallets of our people', 'By e-mail with a link'])
    assert(await page.getByRole('radio', { name: way }).isDisabled())
  assert(await page.getByRole('radio', { name: 'A file with links' }).isChecked())
  await page.getByRole('radio', { name: 'Letters to print' }).check()
  for (const width of [1360, 320]) {
    await page.setViewportSize({ width, height: 900 })
    assert.deepEqual(await layoutDefects(page), [])
  }
  await page.getByRole('button', { name: 'Check who is reached' }).click()
  await page.getByText('you get a letter to print for each row').waitFor()
  await page.getByRole('button', { name: 'Issue 1 credential' }).click()
  await figures(page)
  const first = page.locator('.actions a').first()
  assert.equal(await first.innerText(), 'Letters to print (PDF)')
  assert.match((await first.getAttribute('class')) ?? '', /main/)
  await close()
})

test('the step has no defects for assistive technology, and needs no pointer', async () => {
  const { page, close } = await open(secretary)
  await paste(page, ['ada'])
  await page.getByRole('button', { name: 'Next: who gets it' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/who$/)
  assert.deepEqual(await axeDefects(page), [])
  await page.getByRole('radio', { name: 'Into the wallets of our people' }).focus()
  await page.keyboard.press('ArrowDown')
  assert(await page.getByRole('radio', { name: 'By e-mail with a link' }).isChecked())
  await page.keyboard.press('Enter')
  await page.getByText('A mail with a link goes to the address in “E-Mail”').waitFor()
  await close()
})

test('columns by which people may be found are told by their cells and headings', async () => {
  const rows = [
    { cells: ['Dube', 'a@b.example', '0417', '60'] },
    { cells: ['Botha', '', '0418', '60'] },
    { cells: ['Nkosi', 'c@d.example', '0419', '70'] },
  ]
  assert.deepEqual(await peopleColumns(['Name', 'Kontakt', 'Matrikel-Nr.', 'Note'], rows), [
    { column: 1, keys: ['email'], filled: 2, addresses: 2 },
    { column: 2, keys: ['externalIdentifier', 'username'], filled: 3, addresses: 0 },
  ])
  assert.deepEqual(await peopleColumns(['Name'], rows), [])
})
