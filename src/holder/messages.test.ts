// Messages to a browser: the state that the settings show, turning on and off, what the service worker does with one,
// and what ends them.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { type PushService, pushService } from '../wallet/test-support/foreign-push.ts'
import { HolderWorld, small } from './test-support/holder-world.ts'

const PATH = '/wallet/v2/push-subscriptions'
/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
let service: PushService
before(async () => {
  service = await pushService()
  world = await HolderWorld.open({}, {}, 'everything')
})
afterEach(() => world.closeOpened())
after(async () => {
  await world.close()
  await service.close()
})

/** A browser without a vendor has no push service: this part alone is replaced, in the page, by one of the test. */
async function withPushService(page: Page): Promise<ReturnType<PushService['browser']>> {
  const browser = service.browser()
  await page.addInitScript(`{
    const subscription = ${JSON.stringify(browser.subscription)}
    const held = () => ({ ...subscription, toJSON: () => subscription, unsubscribe: async () => localStorage.removeItem('on') })
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || !/^B[\\w-]{86}$/.test(applicationServerKey)) throw new TypeError()
      localStorage.setItem('on', '1')
      return held()
    }
    PushManager.prototype.getSubscription = async () => (localStorage.getItem('on') === null ? null : held())
  }`)
  return browser
}

async function until(what: () => boolean | Promise<boolean>, message: string): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; await sleep(20)) if (await what()) return
  assert.fail(message)
}

test('a person turns messages on, gets one for an offer, turns them off; a browser that the server forgot is off again', async () => {
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  const { page, troubles } = await world.open(world.thandi)
  const browser = await withPushService(page)
  await page.context().grantPermissions(['notifications'], { origin: world.chirograph.url })
  await page.goto('/me/settings')
  await page.getByRole('button', { name: 'Turn on in this browser' }).click()
  await page.getByText('Messages are on in this browser.').waitFor()
  await page.getByText('127.0.0.1').waitFor()
  assert.deepEqual([await layoutDefects(page), await axeDefects(page)], [[], []])
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/messages-on.png`, fullPage: true })
  const { offerUri: credentialOffer } = await world.issue()
  await world.acme.post('/wallet/v2/orgs/credentials', { credentialOffer, recipient: 'thandi@example.org' })
  await until(() => browser.received.length === 1, 'no message came')
  assert.equal(JSON.parse(browser.received[0]?.text ?? '').body, 'Something is waiting for you.')
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Turn on in this browser' }).waitFor()
  assert.deepEqual((await wallet.get(PATH)).body.data, [])
  assert.equal(await page.evaluate(`localStorage.getItem('on')`), null, 'the browser ended its subscription')
  assert.deepEqual(troubles, [])
})

test('a browser that refuses, one that cannot, and one without scripts each say so, and what to do', async () => {
  const refused = await world.open(world.thandi, small)
  await refused.page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`)
  await refused.page.goto('/me/settings?lang=fr')
  await refused.page.getByText('Ce navigateur refuse les notifications').waitFor()
  const without = await world.open(world.thandi)
  await without.page.addInitScript('delete window.PushManager')
  await without.page.goto('/me/settings?lang=en')
  await without.page.getByText('This browser shows no messages of websites').waitFor()
  const plain = await world.open(world.thandi, { javaScriptEnabled: false })
  await plain.page.goto('/me/settings')
  assert.match(await plain.page.content(), /Messages need scripts/)
  for (const { page } of [refused, without, plain])
    assert.equal(await page.getByRole('button', { name: /Turn on|Activer/ }).count(), 0)
  if (pictures !== undefined)
    await refused.page.screenshot({ path: `${pictures}/messages-refused-fr.png`, fullPage: true })
})

test('the service worker shows the message of the push service, and a click opens the cards', async () => {
  const { page } = await world.open(world.thandi)
  const context = page.context()
  const origin = world.chirograph.url
  await context.grantPermissions(['notifications'], { origin })
  await page.goto('/me/settings')
  await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
  const protocol = await context.newCDPSession(page)
  const known = new Promise<string>((resolve) =>
    protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations
      if (one !== undefined) resolve(one.registrationId)
    }),
  )
  await protocol.send('ServiceWorker.enable')
  const registrationId = await known
  const shown = () =>
    page.evaluate<{ title: string }[]>(
      `navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => all.map(({ title, body, lang, tag }) => ({ title, body, lang, tag })))`,
    )
  const data = JSON.stringify({ title: 'Votre portefeuille', body: 'Quelque chose vous attend.', lang: 'fr' })
  // Again while the worker is being activated, which takes none; all have one tag, so they are one notification.
  await until(async () => {
    await protocol.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    return (await shown()).length === 1
  }, 'no notification is shown')
  await protocol.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: 'no JSON' })
  await until(
    async () => (await shown())[0]?.title === 'Chirograph',
    'a message that cannot be read is shown without a text',
  )
  assert.deepEqual(
    await shown(),
    [{ title: 'Chirograph', body: '', lang: '', tag: 'waits' }],
    'a newer one replaces it',
  )
  // The browser has no button to click. The script runs the same; only `waitUntil` refuses an event that no person
  // caused.
  await page.goto('/me')
  const opened = page.waitForEvent('load')
  const [worker] = context.serviceWorkers()
  await worker?.evaluate(
    `registration.getNotifications().then(([notification]) => void dispatchEvent(new NotificationEvent('notificationclick', { notification })))`,
  )
  await opened
  assert.equal(new URL(page.url()).pathname, '/me')
  assert.deepEqual(await shown(), [])
})

test('signing out everywhere ends the messages of all browsers', async () => {
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  for (const one of [service.browser(), service.browser()])
    assert.equal((await wallet.post(PATH, one.subscription)).status, 201)
  const { page } = await world.open(world.thandi, { javaScriptEnabled: false })
  await page.goto('/account')
  await page.getByRole('button', { name: /everywhere/i }).click()
  await until(async () => (await wallet.get(PATH)).body.data.length === 0, 'they did not end')
})
