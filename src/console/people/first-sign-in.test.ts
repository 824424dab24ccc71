// The page of a person says whether they can sign in, not only that nobody keeps them from it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { peopleTexts } from './texts.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

test('a person who was added and not invited is told as such, until there is a way to sign in', async () => {
  const { acme, read } = opened
  assert.equal((await acme.post('/onboarding/users', { username: 'sipho' })).status, 201)
  const { data } = (await acme.get('/onboarding/users?filter[role]=owner')).body
  const path = (username: string) => `/onboarding/users/${encodeURIComponent(username)}`
  for (const [username, canSignIn] of [
    ['sipho', false],
    [String(data[0].username), true],
  ] as const) {
    const { meta } = (await acme.get(path(username))).body
    assert.equal(meta.canSignIn, canSignIn)
    for (const language of ['en', 'de'] as const) {
      const page = await read(`/people/${username}`, language)
      assert.equal(page.includes(peopleTexts[language].notYetIn), !canSignIn, `${username} in ${language}`)
    }
  }
  assert.equal((await acme.patch(path('sipho'), { enabled: false })).status, 200)
  assert(!(await read('/people/sipho', 'en')).includes(peopleTexts.en.notYetIn))
})
