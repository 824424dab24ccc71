// What is saved of an organisation shows on the next page of the person who saved it, at whichever server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn } from '../../../bench/page-world.ts'
import { PlainBrowser } from '../../authorization/sign-in/test-support/plain-browser.ts'
import { allLanguages } from '../../contract/languages.ts'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

async function save(members: Readonly<Record<string, string>>): Promise<void> {
  const browser = new PlainBrowser(opened.chirograph.url, { cookie: opened.cookie })
  await browser.open('/console/settings')
  const shown = await browser.send('/console/settings', members)
  assert.match(shown.url, /saved=1/, shown.html)
}

test('times are in the new time zone at once', async () => {
  await save({ timeZone: 'Asia/Tokyo', accentColor: '#123456', languages: 'de en' })
  // Of two servers each answers some.
  for (let tries = 0; tries < 4; tries += 1) assert.match(await opened.read(''), /GMT\+9/)
  const { chirograph, cookie } = opened
  const mine = await fetch(`${chirograph.url}/me/data?lang=en`, { headers: { cookie } })
  assert.match(await mine.text(), /GMT\+9/)
})

test('every order of the languages can be chosen', async () => {
  const page = await opened.read('/settings')
  const [, options = ''] = /<select id="languages"[^>]*>([\s\S]*?)<\/select>/.exec(page) ?? []
  const values = [...options.matchAll(/value="([^"]*)"/g)].map(([, value]) => value)
  const [one, two, three, ...more] = allLanguages
  assert(one !== undefined && two !== undefined && three !== undefined && more.length === 0)
  // 3 alone, 6 pairs, 6 of all
  assert.equal(new Set(values).size, 15)
  for (const order of [one, `${three} ${one}`, `${two} ${three} ${one}`]) assert(values.includes(order), order)
})

test('who has no role is led from the console to the cards', async () => {
  const { chirograph, acme } = opened
  const { cookie } = await signIn(chirograph.url, acme, 'lerato', [], '/me')
  const answer = await fetch(`${chirograph.url}/console`, { redirect: 'manual', headers: { cookie } })
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/me'])
})
