// Settings, webhooks, certificates and trusted entities, as people use them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, type Visit, visit } from '../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import { openssl, rootExtensions } from '../crypto/x509-path/test-support/openssl.ts'
import { aReceiver, type Receiver } from '../events/test-support/receiver.ts'
import { type SignedIn, signInAs } from './test-support/console-walk.ts'
import { pemLines } from './trusted/pem-lines.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const foreignRoot = tool.make({ subject: '/C=ZA/CN=Foreign Root', extensions: rootExtensions, ...years }).pem

let chirograph: Deployment
let browser: Browser
let acme: Api
let receiver: Receiver
let owner: SignedIn
let trustAdmin: SignedIn
before(async () => {
  ;[chirograph, browser, receiver] = await Promise.all([deploy(), openBrowser(), aReceiver()])
  acme = await chirograph.backend('acme')
  owner = await signInAs(browser, chirograph, acme, 'naledi', ['owner'])
  trustAdmin = await signInAs(browser, chirograph, acme, 'palesa', ['trust-admin'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await receiver.close()
  tool.remove()
})

async function open(as: SignedIn, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, { storageState: as, ...options })
  opened.page.setDefaultTimeout(15_000)
  return opened
}

/** Presses Tab until the element with this name has the focus, as a person without a mouse. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = `(() => { const one = document.activeElement; return [one.textContent, one.getAttribute('aria-label'), one.labels?.[0]?.textContent].join(' ').trim() })()`
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    if (name.test(await page.evaluate<string>(focused))) return
  }
  assert.fail(`Tab never reached ${name}`)
}

test('settings: a colour that cannot be read is refused at its field, and nothing that was typed is lost', async () => {
  const { page, troubles, close } = await open(owner)
  await page.goto('/console/settings')
  await page.getByText('Fixed by the bootstrap file').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).count(), 0)
  await page.getByLabel('Colour').fill('#9ec5ff')
  await page.getByLabel('Help').fill('help@college.example')
  await page.getByLabel('Time zone').selectOption('Africa/Johannesburg')
  await page.getByLabel('An offer expires after').selectOption({ label: '7 days' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  assert.match(await page.title(), /^Error: /)
  assert.match(await page.locator('#accentColor-error').innerText(), /cannot be read/)
  assert.equal(await page.getByLabel('Help').inputValue(), 'help@college.example')
  await page.getByLabel('Colour').fill('#7a1f4e')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').waitFor()
  const { data } = (await acme.get('/onboarding/organisation')).body
  const expected = { accentColor: '#7a1f4e', supportAddress: 'help@college.example', offerTtlSeconds: 604_800 }
  assert.partialDeepStrictEqual(data, { ...expected, timeZone: 'Africa/Johannesburg', logoUri: null })
  assert.deepEqual(troubles, [])
  await close()
  const later = await open(await signInAs(browser, chirograph, acme, 'thabo', ['owner']))
  await later.page.goto('/console/settings')
  const colour = `getComputedStyle(document.querySelector('.button.main')).backgroundColor`
  assert.equal(await later.page.evaluate(colour), 'rgb(122, 31, 78)')
  assert.deepEqual(later.troubles, [])
  await later.close()
})

test('settings: the second of two people sees both versions, and a trust-admin changes policies alone', async () => {
  const [one, two] = [await open(owner, { javaScriptEnabled: false }), await open(trustAdmin)]
  await two.page.goto('/console/settings')
  await two.page.getByText('Only an owner can change these').waitFor()
  assert.equal(await two.page.getByRole('button', { name: 'Save' }).count(), 0)
  for (const { page } of [one, two]) await page.goto('/console/settings/policies')
  await one.page.getByLabel('From whom your people').selectOption('trusted')
  await one.page.getByRole('button', { name: 'Save' }).click()
  await one.page.getByRole('status').waitFor()
  await two.page.getByLabel('From whom your people').selectOption('any')
  await two.page.getByLabel('Registered verifiers').fill('[{')
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByText('This is not JSON').first().waitFor()
  await two.page.getByLabel('Registered verifiers').fill('')
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByRole('alert').getByText('changed in the meantime').waitFor()
  await two.page.getByRole('cell', { name: 'From trusted entities only' }).waitFor()
  assert.equal(await two.page.getByLabel('From whom your people').inputValue(), 'any')
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByRole('status').waitFor()
  assert.equal((await acme.get('/onboarding/organisation')).body.data.issuerPolicy, 'any')
  await Promise.all([one.close(), two.close()])
})

test('webhooks by keyboard alone: add, keep the secret, test, see a delivery, send it again, delete', async () => {
  const { page, troubles, close } = await open(owner)
  await page.goto('/console/webhooks')
  await page.getByText('in five lines').waitFor()
  await tabTo(page, /^Add an endpoint/)
  await page.keyboard.press('Enter')
  await page.waitForURL('/console/webhooks/new')
  await tabTo(page, /Address/)
  await page.keyboard.type('http://example.org/hook')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await tabTo(page, /Address/)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(receiver.url)
  await page.keyboard.press('Enter')
  const secret = await page.locator('code.secret').innerText()
  assert.match(secret, /^whsec_/)
  await tabTo(page, /^Go back/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/webhooks\/[0-9a-f-]{36}$/)
  assert(!(await page.content()).includes(secret))
  await tabTo(page, /^Send a test message/)
  await page.keyboard.press('Enter')
  await page.getByText('The receiver took the test message.').waitFor()
  assert.equal(JSON.parse(receiver.messages.at(-1)?.body ?? '').type, 'webhook_endpoint.test')
  await tabTo(page, /^Go back/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/webhooks\/[0-9a-f-]{36}$/)
  await acme.post('/onboarding/users', { username: 'heard' })
  const count = () => receiver.messages.filter(({ body }) => body.includes('user.created')).length
  await until(() => count() > 0)
  const event = page.getByRole('link', { name: 'A person was added' })
  await until(async () => {
    await page.reload()
    return (await event.count()) > 0
  })
  await tabTo(page, /^A person was added/)
  await page.keyboard.press('Enter')
  await page.getByText('"type": "user.created"').waitFor()
  await tabTo(page, /^Send again/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/redeliver$/)
  const before = count()
  await tabTo(page, /^Send again/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/deliveries\/[0-9a-f-]{36}$/)
  await until(() => count() > before)
  await tabTo(page, /127\.0\.0\.1/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/webhooks\/[0-9a-f-]{36}$/)
  await tabTo(page, /^Delete/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/delete$/)
  await tabTo(page, /^Delete/)
  await page.keyboard.press('Enter')
  await page.waitForURL('/console/webhooks')
  await page.getByText('No system of yours').waitFor()
  assert.deepEqual(troubles, [])
  await close()
})

for (const javaScriptEnabled of [true, false]) {
  test(`certificates: from none to root, request, leaf and revocation; each check is named; scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(owner, { javaScriptEnabled })
    const keyType = javaScriptEnabled ? 'P-256' : 'Ed25519'
    await page.goto('/console/certificates')
    if (javaScriptEnabled) await page.getByText('You sign with did:web').waitFor()
    await page.getByRole('link', { name: 'Make a root of your own' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('What it is for').selectOption('verifierRoot')
    await page.getByLabel('Key').selectOption(keyType)
    await page.getByLabel('Country').fill('za')
    await page.getByLabel('Web address').fill('https://college.example')
    await page.getByLabel('Name in the certificate').fill(`Root ${keyType}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: `Root ${keyType}` }).waitFor()
    const root = page.url()
    await page.goto('/console/certificates')
    assert.equal(await page.locator('.below').count(), javaScriptEnabled ? 1 : 3)
    await page.goto('/console/certificates/csrs/new')
    await page.getByLabel('What it will sign').selectOption('verifierSignRequest')
    await page.getByLabel('Key').selectOption(keyType)
    await page.getByLabel('Country').fill('ZA')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/csrs\/[0-9a-f-]{36}$/)
    await page.getByLabel('Certificate', { exact: true }).fill(foreignRoot)
    await page.getByRole('button', { name: 'Import the certificate' }).click()
    const checks = page.locator('section', { has: page.getByRole('heading', { name: 'What was checked' }) })
    const states = await checks.locator('dd .badge').allInnerTexts()
    assert.deepEqual(states, ['Passed', 'Failed', ...Array(5).fill('Not reached')])
    assert.equal(await page.getByLabel('Certificate', { exact: true }).inputValue(), foreignRoot.trim())
    await page.goto(`${root}/sign`)
    await page.getByRole('button', { name: 'Sign a request' }).click()
    await page.getByText('not both').first().waitFor()
    await page.getByLabel('Your request').selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Sign a request' }).click()
    await page.waitForURL(/certificates\/[0-9a-f-]{36}$/)
    await page.getByText('For a signing request of yours').waitFor()
    await page.getByRole('link', { name: 'Revoke' }).click()
    await page.getByText('This cannot be undone').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('trusted entities: faults of PEM by line, both versions of two people, and deleted after a question', async () => {
  const [one, two] = [await open(owner), await open(owner)]
  const { page } = one
  await page.goto('/console/trusted/new')
  await page.getByLabel('Name', { exact: true }).fill('Registrar')
  await page.getByLabel('DIDs').fill('did:web:uc.example\nnonsense')
  const bad = foreignRoot.replace(/\n(.)/, '\n!')
  await page.getByLabel('Certificates of their authority').fill(`Here you are:\n${foreignRoot}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#certificates-error').getByText('Line 1:').waitFor()
  await page.getByLabel('Certificates of their authority').fill(`${foreignRoot}\n${bad}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#dids-error').getByText('Line 2:').waitFor()
  await page.getByLabel('DIDs').fill('did:web:uc.example')
  await page.getByRole('button', { name: 'Save' }).click()
  const lines = foreignRoot.trim().split('\n').length
  await page
    .locator('#certificates-error')
    .getByText(`Lines ${lines + 2} to ${2 * lines + 1}:`)
    .waitFor()
  await page.getByLabel('Certificates of their authority').fill(foreignRoot)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/trusted\/[0-9a-f-]{36}$/)
  await page.getByText('CN=Foreign Root').waitFor()
  await two.page.goto(page.url())
  await two.page.getByLabel('Name', { exact: true }).fill('Registrar of the Cape')
  await page.getByLabel('Name', { exact: true }).fill('Office')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Office' }).waitFor()
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByRole('alert').getByText('changed in the meantime').waitFor()
  await two.page.getByRole('cell', { name: 'Office' }).waitFor()
  await two.page.getByRole('button', { name: 'Save' }).click()
  await two.page.getByRole('heading', { name: 'Registrar of the Cape' }).waitFor()
  await two.page.getByRole('link', { name: 'Delete' }).click()
  await two.page.getByRole('button', { name: 'Delete' }).click()
  await two.page.waitForURL('/console/trusted')
  assert.deepEqual([...one.troubles, ...two.troubles], [])
  await Promise.all([one.close(), two.close()])
})

test('faults of PEM are told with their line', () => {
  const block = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const faultOf = (text: string) => pemLines(text).faults[0]
  assert.deepEqual(
    pemLines(`\n${block}\r\n${block}`).blocks.map(({ first, last }) => [first, last]),
    [
      [2, 4],
      [6, 8],
    ],
  )
  assert.deepEqual(faultOf(`${block}tail`), { rule: 'stray', line: 4 })
  assert.deepEqual(faultOf('-----BEGIN CERTIFICATE-----\nMIIB'), { rule: 'unended', line: 1 })
  assert.deepEqual(faultOf(`-----BEGIN CERTIFICATE-----\nMIIB\n${block}`), { rule: 'unended', line: 1 })
  assert.deepEqual(faultOf('-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----'), {
    rule: 'otherKind',
    line: 1,
  })
  assert.deepEqual(pemLines(''), { blocks: [], faults: [] })
})
