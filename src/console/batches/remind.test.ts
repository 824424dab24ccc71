// People of a batch who were mailed an offer and have not taken it are reminded from its page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn } from '../../../bench/page-world.ts'
import { type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import { PlainBrowser } from '../../authorization/sign-in/test-support/plain-browser.ts'
import { aMailServer, type MailServer } from '../../mail/test-support/mail-server.ts'
import { made } from '../test-support/made.ts'

const DAY_MS = 86_400_000
const API = '/creds/credentials/issuance/batch'

let chirograph: Deployment
let mails: MailServer
let shiftMs = 0
before(async () => {
  mails = await aMailServer()
  const clock = { now: () => new Date(Date.now() + shiftMs) }
  chirograph = await deploy({ clock }, { SMTP_URL: mails.url })
})
after(async () => {
  await chirograph.stop()
  await mails.close()
})

/** A person who has just signed in: a session does not last a day. */
async function browserOf(username: string, role: string): Promise<PlainBrowser> {
  const school = await chirograph.backend('acme')
  const { cookie } = await signIn(chirograph.url, school, username, [role], '/console')
  return new PlainBrowser(chirograph.url, { cookie })
}

/** Issues a batch of mails, or of links, and waits for its end. @returns its id */
async function aBatch(name: string, addresses: readonly (string | null)[]): Promise<string> {
  const school = await chirograph.backend('acme')
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  const template = await made(school, '/creds/templates/credentials', { name, code: name, attributes })
  const items = addresses.map((address) => ({
    attributes: { family_name: 'Molefe' },
    ...(address !== null && { mail: { address } }),
  }))
  const { id } = await made(school, API, { credentialTemplateId: template.id, items, expiresInSeconds: 604_800 })
  const mailed = addresses.filter((address) => address !== null).length
  await until(async () => {
    const { status, mails: sent } = (await school.get(`${API}/${id}`)).body.data
    return status === 'completed' && (sent?.sent ?? 0) === mailed
  })
  return id
}

test('those who have not taken theirs are counted, reminded by one button a day after their mail, and once', async () => {
  const id = await aBatch(
    'members',
    ['a', 'b', 'c'].map((name) => `${name}@example.org`),
  )
  const page = `/console/batches/${id}`
  const first = await (await browserOf('naledi', 'issuer')).open(page)
  assert.match(first.html, /3 have not taken theirs yet/)
  assert.match(first.html, /one day after the last mail/)
  assert.doesNotMatch(first.html, /\/remind"/)
  const school = await chirograph.backend('acme')
  const [{ offerUri }] = (await school.get(`${API}/${id}`)).body.data.items
  const wallet = await chirograph.wallet('acme', 'thandi')
  assert.equal((await wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })).status, 201)
  shiftMs = DAY_MS
  const browser = await browserOf('lerato', 'issuer')
  const second = await browser.open(page)
  assert.match(second.html, /2 have not taken theirs yet/)
  assert.match(second.html, new RegExp(`href="${page}/remind">Remind 2 people`))
  const asked = await browser.open(`${page}/remind`)
  assert.match(asked.html, /sent again to 2 people/)
  assert.equal(mails.mails.length, 3)
  const third = await browser.send(`${page}/remind`, {})
  assert.equal(third.url, page)
  assert.match(third.html, /2 have not taken theirs yet/)
  assert.doesNotMatch(third.html, /Remind 2 people/)
  await until(() => mails.mails.length === 5)
  const none = await browser.open(`${page}/remind`)
  assert.match(none.html, /Nobody can be reminded now/)
  assert.doesNotMatch(none.html, /<button[^>]*>Remind</)
  assert.equal(mails.mails.length, 5)
})

test('offers without a mail are counted and remind nobody, and who does not issue has no button', async () => {
  shiftMs = 0
  const [links, mailed] = [await aBatch('links', [null]), await aBatch('mailed', ['d@example.org'])]
  shiftMs = DAY_MS
  const issuer = await browserOf('kagiso', 'issuer')
  const plain = await issuer.open(`/console/batches/${links}`)
  assert.match(plain.html, /1 has not taken theirs yet/)
  assert.doesNotMatch(plain.html, /\/remind"|last mail/)
  assert.match((await issuer.open(`/console/batches/${mailed}`)).html, /Remind 1 person/)
  const auditor = await browserOf('sipho', 'auditor')
  const seen = await auditor.open(`/console/batches/${mailed}`)
  assert.match(seen.html, /1 has not taken theirs yet/)
  assert.doesNotMatch(seen.html, /\/remind"|last mail/)
})
