// The jobs of people at the console, as they do them in a browser; and the forms that are not theirs.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import jsqr from 'jsqr'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { openBrowser, type Visit, visit } from '../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { type SignedIn, signInAs } from './test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let acme: Api
let owner: SignedIn
let auditor: SignedIn
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  acme = await chirograph.backend('acme')
  owner = await signInAs(browser, chirograph, acme, 'naledi', ['owner'])
  auditor = await signInAs(browser, chirograph, acme, 'auditor', ['auditor'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

async function open(as: SignedIn, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, { storageState: as, ...options })
  opened.page.setDefaultTimeout(8000)
  return opened
}

/** Makes a template by its designer. @returns when the list shows it */
async function makeTemplate(page: Page, name: string): Promise<void> {
  await page.goto('/console/templates/new?from=diploma')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Add an attribute' }).click()
  await page.getByLabel('Shown as').last().fill('Grade')
  await page.getByLabel('Kind of value').last().selectOption('number')
  await page.getByRole('button', { name: 'Move up: Attribute 5' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('/console/templates')
}

/** Issues one from a template. @returns the offer that the page shows */
async function issueOne(page: Page, template: string, reference: string): Promise<string> {
  await page.goto('/console/issue')
  await page.getByRole('link', { name: `To one person: ${template}`, exact: true }).click()
  assert.equal(await page.getByText(/mail/i).count(), 0, 'this server sends no mail')
  await page.getByLabel('Family name').fill('Molefe')
  await page.getByLabel('Given name').fill('Thandi')
  await page.getByLabel('Grade').fill('sixty')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.match(await page.title(), /^Error: /)
  assert.equal(await page.getByLabel('Family name').inputValue(), 'Molefe', 'what was typed is kept')
  await page.getByLabel('Grade').fill('78,5')
  await page.getByLabel('Degree').fill('BSc Computer Science')
  await page.getByLabel('Reference').fill(reference)
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.waitForURL(/\/console\/credentials\/[0-9a-f-]{36}$/)
  // The page of the offer comes first, as a link and as the code that a camera opens; the one for wallet apps is
  // folded.
  const [first = ''] = await page.locator('code.secret').allInnerTexts()
  assert.ok(first.trim().startsWith(`${chirograph.url}/`), first)
  const codes = await page.locator('.asking img').all()
  assert.deepEqual(await Promise.all(codes.map((one) => one.isVisible())), [true, false])
  const offer = (await page.locator('code.secret', { hasText: 'openid-credential-offer:' }).innerText()).trim()
  assert.deepEqual(await Promise.all(codes.map(textOf)), [first.trim(), offer])
  return offer
}

/** Reads the QR code of a picture, as a camera would. */
async function textOf(image: Locator): Promise<string | undefined> {
  const source = (await image.getAttribute('src')) ?? assert.fail('no picture')
  const answer = await fetch(new URL(source, chirograph.url), { headers: { accept: 'image/png' } })
  const { data, width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()))
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

for (const javaScriptEnabled of [true, false]) {
  test(`a whole job: make a template, issue, see it taken, revoke it, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(owner, { javaScriptEnabled })
    const name = javaScriptEnabled ? 'Diploma' : 'Diploma without script'
    await makeTemplate(page, name)
    const offer = await issueOne(page, name, `student-${javaScriptEnabled ? 1 : 2}`)
    const wallet = await chirograph.wallet('acme', 'thandi')
    const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: offer })
    assert.equal(received.status, 201, JSON.stringify(received.body))
    if (!javaScriptEnabled) await page.reload()
    await page.getByText('Valid', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Revoke' }).click()
    await page.getByLabel('Reason').selectOption({ label: 'Issued by mistake' })
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Issued by mistake').waitFor()
    await page.getByText('Revoked', { exact: true }).waitFor()
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('at the desk: two clicks to the code, and the result by itself', async () => {
  const { page, troubles, close } = await open(owner)
  const offer = await issueOne(page, 'Diploma', 'student-3')
  const wallet = await chirograph.wallet('acme', 'thandi')
  const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: offer })
  await wallet.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  await page.goto('/console/requests/new')
  await page.getByLabel('Which of your credentials').selectOption({ label: 'Diploma' })
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Proof of a degree')
  await page.getByLabel('Degree').check()
  await page.getByLabel('Grade').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('/console/requests')
  await page.getByRole('link', { name: 'At the desk' }).click()
  await page.getByRole('button', { name: 'Ask for it' }).click()
  await page.getByText('Waiting for the wallet').waitFor()
  await page.getByText('Links of the request').click()
  const presentationRequest = (await page.locator('code.secret', { hasText: 'openid4vp:' }).innerText()).trim()
  const prepared = await wallet.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const { id, inputs = [] } = prepared.body.data
  assert.ok(inputs !== null)
  await wallet.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })
  const answered = performance.now()
  await page.getByText('Valid', { exact: true }).waitFor()
  console.log(`wallet answered, desk shows it after ${Math.round(performance.now() - answered)} ms`)
  await page.getByText('BSc Computer Science').waitFor()
  // A screen reader says the verdict once, by itself; the code is gone.
  assert.match(await page.getByRole('alert').innerText(), /^Valid/)
  assert.equal(await page.locator('main img.qr').count(), 0)
  const checks = await page.locator('.checks li').allInnerTexts()
  assert.deepEqual(
    checks.map((one) => one.split('\n').at(-1)),
    ['Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Not needed', 'Not needed'],
  )
  assert.match(checks.join('\n'), /Issuer is accepted\s+Your own organisation\./)
  assert.equal(await page.getByText('did:web').count(), 0, 'the own organisation has a name')
  assert.match(checks.join('\n'), /Not revoked or suspended\s+As the issuer stated at/)
  await page.getByText(/^Answered .* Answer kept until/).waitFor()
  await page.reload()
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.deepEqual(troubles, [])
  await close()
})

test('credentials that are ticked are changed together, each with its result; the list is a file', async () => {
  const { page, troubles, close } = await open(owner)
  const wallet = await chirograph.wallet('acme', 'thandi')
  for (const reference of ['=many-1', '=many-2']) {
    const credentialOffer = await issueOne(page, 'Diploma', reference)
    await wallet.post('/wallet/v2/credentials', { credentialOffer })
  }
  await page.goto('/console/credentials?reference=%3Dmany')
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByLabel('Reason').selectOption({ label: 'Lost or stolen' })
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('2 of 2 are changed.').waitFor()
  await page.goto('/console/credentials?state=suspended')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  assert.match(text, /^\ufeffid,status,/)
  assert.match(text, /"'=many-1"/)
  await page.getByLabel('Search').fill('=many-2')
  await page.getByLabel('Search').press('Enter')
  await page.getByRole('link', { name: 'Diploma' }).click()
  await page.getByText('Lost or stolen').waitFor()
  await page.getByRole('link', { name: 'Reinstate' }).click()
  await page.getByRole('button', { name: 'Reinstate' }).click()
  await page.getByText('Valid', { exact: true }).waitFor()
  assert.deepEqual(troubles, [])
  await close()
})

test('two people edit one template: the second sees both versions, and loses nothing', async () => {
  const [one, two] = [await open(owner), await open(owner)]
  for (const { page } of [one, two]) {
    await page.goto('/console/templates')
    await page.getByRole('link', { name: 'Diploma', exact: true }).click()
  }
  await one.page.getByLabel('Description').fill('From the first')
  await one.page.getByRole('button', { name: 'Save' }).click()
  await one.page.waitForURL('/console/templates')
  await two.page.getByLabel('Description').fill('From the second')
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByText('was changed in the meantime').first().waitFor()
  assert.equal(await two.page.getByLabel('Description').inputValue(), 'From the second')
  await two.page.getByRole('cell', { name: 'From the first' }).waitFor()
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.waitForURL('/console/templates')
  await Promise.all([one.close(), two.close()])
})

test('the card is redrawn while its designer types, and the fields stay', async () => {
  const { page, troubles, close } = await open(owner)
  await page.goto('/console/templates/new?from=staff')
  await page.getByLabel('Name', { exact: true }).fill('')
  await page.getByLabel('Name', { exact: true }).pressSequentially('Library card')
  await page.locator('#card').getByText('Library card').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'name')
  assert.deepEqual(troubles, [])
  await close()
})

test('people and applications: added, invited, disabled, given a secret once', async () => {
  const { page, troubles, close } = await open(owner)
  await page.goto('/console/people/new')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Given name').fill('Sipho')
  await page.getByLabel('E-mail address').fill('sipho@example.org')
  await page.getByLabel('Issuer').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Sipho' }).waitFor()
  await page.getByRole('link', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Invite' }).click()
  assert.match(await page.locator('code.secret').innerText(), /token=/)
  await page.getByRole('link', { name: 'Go back' }).click()
  await page.getByRole('link', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  await page.goto('/console/applications/new')
  await page.getByLabel('Name', { exact: true }).fill('Registry')
  await page.getByLabel('Issuer').check()
  await page.getByRole('button', { name: 'Save' }).click()
  assert.match(await page.locator('code.secret').innerText(), /^chs_/)
  await page.getByRole('link', { name: 'Go back' }).click()
  await page.getByRole('heading', { name: 'Registry' }).waitFor()
  assert.equal(await page.getByText('chs_').count(), 0)
  await page.getByRole('link', { name: 'Change' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Registry of degrees')
  await page.getByLabel('Issuer').uncheck()
  await page.getByLabel('Auditor').check()
  await page.getByLabel('Where people return').fill('http://registry.example.org/back')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#redirectUris-error').waitFor()
  await page.getByLabel('Where people return').fill('https://registry.example.org/back')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Registry of degrees' }).waitFor()
  assert.match(await page.locator('main').innerText(), /Auditor.*https:\/\/registry\.example\.org\/back/s)
  const application = page.url().split('/').at(-1) ?? ''
  await page.getByRole('link', { name: 'Change' }).click()
  await acme.patch(`/onboarding/clients/${application}`, { name: 'Theirs' })
  // The group is open: it has an address for people's return, but no right to sign them in.
  await page.getByLabel('People sign in to it').check()
  await page.getByLabel('bound to a key').check()
  await page.getByLabel('Told when a session ends').fill('https://registry.example.org/end')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('changed in the meantime').waitFor()
  await page.getByRole('cell', { name: 'Theirs', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Registry of degrees' }).waitFor()
  const { data: saved } = (await acme.get(`/onboarding/clients/${application}`)).body
  const settings = { dpopRequired: true, backchannelLogoutUri: 'https://registry.example.org/end', asksConsent: true }
  assert.partialDeepStrictEqual(saved, { name: 'Registry of degrees', ...settings })
  assert.equal(saved.grantTypes.includes('authorization_code'), true)
  await page.getByRole('link', { name: 'End now' }).click()
  await page.getByRole('button', { name: 'End now' }).click()
  await page.getByRole('heading', { name: 'Registry of degrees' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'End now' }).count(), 0)
  assert.deepEqual(troubles, [])
  await close()
})

test('the menu and the server follow the roles; a refusal names who may', async () => {
  const { page, close } = await open(auditor)
  await page.goto('/console')
  assert.equal(await page.getByRole('link', { name: 'Applications' }).count(), 0)
  const response = await page.goto('/console/applications')
  assert.equal(response?.status(), 403)
  await page.getByText('You need one of these roles: Owner').waitFor()
  assert.equal((await page.goto('/console/templates/01890000-0000-7000-8000-000000000000'))?.status(), 404)
  await close()
})

test('a form that is sent twice does its work once', async () => {
  const { page, close } = await open(owner)
  await page.goto('/console/people/new')
  await page.getByLabel('Username').fill('twice')
  const answers = await page.evaluate<string[]>(
    `(async () => { const form = document.querySelector('main form'); const answers = []; for (const _ of [1, 2]) { const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) }); answers.push(new URL(answer.url).pathname) } return answers })()`,
  )
  assert.deepEqual(answers, ['/console/people/twice', '/console/people/twice'])
  await close()
})

test('a form whose session is over is there again after the sign-in', async () => {
  const as = await signInAs(browser, chirograph, acme, 'forgetful', ['owner'])
  const { page, close } = await open(as)
  await page.goto('/console/people/new')
  await page.getByLabel('Family name').fill('Not lost')
  // What a form of an earlier session looks like to the server.
  await page.evaluate(`document.querySelector('[name=csrf]').value = 'old'`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('What you typed is still here').waitFor()
  assert.equal(await page.getByLabel('Family name').inputValue(), 'Not lost')
  await close()
})
