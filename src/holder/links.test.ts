// A person makes a link to a card, without script, gives it away, sees that it was opened, and ends it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import { HolderWorld, small, take } from './test-support/holder-world.ts'

let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
})
afterEach(() => world.closeOpened())
after(() => world.close())

test('what was chosen is behind the link, which is shown once, counts its views, and ends', async () => {
  const { page } = await world.open(world.thandi, { ...small, javaScriptEnabled: false })
  const card = await take(page, (await world.issue()).offerUri)
  await page.goto(card)
  await page.getByRole('link', { name: 'Share a link' }).click()
  await page.getByLabel('Who is it for?').fill('Globex')
  await page.getByRole('button', { name: 'Create the link' }).click()
  assert.ok(await page.getByText('Choose what the link shows.').isVisible())
  assert.equal(await page.getByLabel('Who is it for?').inputValue(), 'Globex')
  await page.getByLabel('Degree').check()
  await page.getByLabel('What is it for?').fill('My application')
  await page.getByRole('button', { name: 'Create the link' }).click()
  const address = (await page.locator('code.secret').textContent()) ?? ''
  assert.ok(await page.getByAltText('Code of the link').isVisible())

  const stranger = await world.open(null, { ...small, javaScriptEnabled: false })
  await stranger.page.goto(address)
  const shown = (await stranger.page.locator('main').textContent()) ?? ''
  for (const text of ['Valid', 'Acme College', world.claims.degree, 'Globex', 'My application'])
    assert.ok(shown.includes(text), text)
  assert.ok(!shown.includes(world.claims.student_number))

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'As PDF' }).click()
  const file = await (await downloading).path()
  await stranger.page.goto('/check-file/acme')
  await stranger.page.getByLabel('File').setInputFiles({
    name: 'application.pdf',
    mimeType: 'application/pdf',
    buffer: readFileSync(file),
  })
  await stranger.page.getByRole('button', { name: 'Check', exact: true }).click()
  await stranger.page.waitForURL(address)

  await page.goto('/me/links')
  const list = (await page.locator('main').textContent()) ?? ''
  assert.ok(list.includes('For Globex') && list.includes('Opened 2 times'))
  assert.ok(!(await page.content()).includes(new URL(address).pathname), 'the address is not shown again')
  await page.getByRole('link', { name: 'For Globex' }).click()
  await page.getByRole('button', { name: 'End' }).click()
  assert.ok(await page.getByText('The link has ended.').isVisible())
  assert.equal((await stranger.page.goto(address))?.status(), 404)
  await page.goto('/me/history')
  assert.ok(await page.getByText('Link for Globex').isVisible())
})

test('where the organisation has links off, no page offers one, and the address of the form says so', async () => {
  const { page } = await world.open(world.thandi, { ...small, javaScriptEnabled: false })
  const card = await take(page, (await world.issue()).offerUri)
  const off = await world.acme.patch('/onboarding/organisation', { sharedLinks: 'off' })
  assert.equal(off.status, 200, JSON.stringify(off.body))
  // What a server remembers of an organisation is up to 5 s old.
  await page.waitForTimeout(6000)
  await page.goto(card)
  assert.equal(await page.getByRole('link', { name: 'Share a link' }).count(), 0)
  assert.equal((await page.goto(`${card}/share`))?.status(), 403)
  assert.ok(await page.getByText('Your organisation has no links to cards.').isVisible())
})
