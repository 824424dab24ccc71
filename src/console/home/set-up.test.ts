// The steps that an organisation begins with, without a browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

/** Whether colleagues are still to be invited. */
async function lacksColleagues(): Promise<boolean> {
  const home = await opened.read('')
  const [, state] = /Invite your colleagues<\/a>(.*?)<\/li>/.exec(home) ?? []
  assert(state !== undefined, 'the step is shown')
  return !state.includes('Done')
}

test('who has a wallet only is no colleague; who has a role is one', async () => {
  // Those of the deployment have no role, as who has opened an offer.
  assert((await opened.acme.get('/onboarding/users')).body.data.length > 2)
  assert.equal(await lacksColleagues(), true)
  const made = await opened.acme.post('/onboarding/users', { username: 'lerato', roles: ['issuer'] })
  assert.equal(made.status, 201)
  assert.equal(await lacksColleagues(), false)
})
