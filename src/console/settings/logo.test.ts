// The logo of the organisation as a file: chosen, shown, refused, removed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { controlsOf, sentFrom } from '../test-support/form-of.ts'
import { settingTexts } from './texts.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)
const t = settingTexts.en.logo
let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

/** Sends the settings as they are shown, with these members and this file. */
async function save(members: Readonly<Record<string, string>>, file?: Buffer) {
  const { chirograph, cookie, read } = opened
  const [form = ''] =
    /<form method="post" action="\/console\/settings"[\s\S]*?<\/form>/.exec(await read('/settings')) ?? []
  const body = new FormData()
  for (const [name, values] of sentFrom(controlsOf({ text: form }))) for (const one of values) body.append(name, one)
  for (const [name, value] of Object.entries(members)) body.set(name, value)
  if (file !== undefined) body.set('logoUri', new Blob([new Uint8Array(file)]), 'logo.png')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  return fetch(`${chirograph.url}/console/settings`, { method: 'POST', body, headers, redirect: 'manual' })
}

const logoUri = async () => (await opened.acme.get('/onboarding/organisation')).body.data.logoUri

test('a picture is kept, shown in the settings and on the pages of people, and removed', async () => {
  const sent = await save({}, PNG)
  assert.equal(sent.status, 303, await sent.text())
  const { pathname } = new URL(await logoUri())
  assert.match(pathname, /^\/organisations\/acme\/logos\//)
  assert((await opened.read('/settings')).includes(`<img src="${pathname}"`))
  const me = await fetch(`${opened.chirograph.url}/me`, { headers: { cookie: opened.cookie } })
  assert((await me.text()).includes(`<img class="organisation-logo" src="${pathname}"`))
  // What is saved as it was opened stays.
  assert.equal((await save({ mailFromName: 'College' })).status, 303)
  assert.equal(new URL(await logoUri()).pathname, pathname)
  assert.equal((await save({ 'logoUri-none': 'on' })).status, 303)
  assert.equal(await logoUri(), null)
})

test('an address can stand in place of a file', async () => {
  assert.equal((await save({ 'logoUri-address': 'https://college.example/logo.png' })).status, 303)
  assert.equal(await logoUri(), 'https://college.example/logo.png')
  assert.equal((await save({ 'logoUri-address': '' })).status, 303)
})

test('what is no picture, or too large, is said at the field', async () => {
  // Of more pixels than the API keeps.
  const wide = Buffer.from(PNG)
  wide.writeUInt32BE(5000, 16)
  for (const [file, why] of [
    [Buffer.from('no picture'), t.kind],
    [Buffer.concat([PNG, Buffer.alloc(50_000)]), t.large],
    [wide, '2,000 pixels'],
  ] as const) {
    const refused = await save({}, file)
    const page = await refused.text()
    assert.equal(refused.status, 400)
    const [, error = ''] = /id="logoUri-error">([^<]*)</.exec(page) ?? []
    assert(error.includes(why), error)
  }
  assert.equal(await logoUri(), null)
})
