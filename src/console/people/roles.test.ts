// A role has one name in each language, on every page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pageTexts } from '../../pages/messages/page-texts.ts'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['trust-admin', 'owner'])
})
after(() => opened.chirograph.stop())

test('the account of a person and the list of people name roles in the same words', async () => {
  const { chirograph, cookie } = opened
  for (const language of ['en', 'fr'] as const) {
    const headers = { cookie, 'accept-language': language }
    const account = await (await fetch(`${chirograph.url}/account`, { headers })).text()
    const { 'trust-admin': trust, owner } = pageTexts[language].roles
    for (const shown of [account, await opened.read('/people', language)]) {
      assert(shown.includes(`${trust}, ${owner}`) || shown.includes(`${owner}, ${trust}`), language)
    }
  }
})
