import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformOn, withoutDatabase } from '../../../../test/support/platform.ts'
import type { TenantId } from '../../../caller.ts'
import { generateKeyPair, type PublicJwk } from '../../../crypto/jwk.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { OutboundRequest } from '../../../platform.ts'
import { keysForAssertion } from './client-keys.ts'

const named = (kid: string): PublicJwk => ({ ...generateKeyPair().publicJwk, kid })

/** A client that publishes its keys at an address, and the clock and the answer of a test. */
function aPublisher() {
  const state = { seconds: 0, status: 200, body: '', calls: [] as OutboundRequest[], isDown: false }
  const platform = platformOn({
    store: withoutDatabase,
    clock: { now: () => new Date(1_780_000_000_000 + state.seconds * 1000) },
    fetch: async (_tenantId, _url, request) => {
      state.calls.push(request)
      if (state.isDown) throw new Fault('upstream.unreachable')
      return { status: state.status, headers: {}, contentType: 'application/json', body: Buffer.from(state.body) }
    },
  })
  const client = { tenantId: 't' as TenantId, jwksUri: 'https://rp.example/jwks', keys: null } as Client
  return { state, find: (kid?: string) => keysForAssertion(platform, client, kid) }
}

test('keys at a jwks_uri are fetched once in five minutes, through the guarded client with a bound', async () => {
  const { state, find } = aPublisher()
  const key = named('a')
  state.body = JSON.stringify({ keys: [{ ...key, use: 'sig' }, { kty: 'RSA', n: 'x', e: 'AQAB' }, 'x'] })
  assert.deepEqual(await find('a'), [key])
  await Promise.all([find('a'), find(), find('a')])
  assert.equal(state.calls.length, 1)
  assert.equal(state.calls[0]?.bytesMax, 131_072)
  state.seconds = 301
  await find('a')
  assert.equal(state.calls.length, 2)
})

test('an unknown key id fetches the keys again, at most every 30 seconds', async () => {
  const { state, find } = aPublisher()
  const [old, fresh] = [named('a'), named('b')]
  state.body = JSON.stringify({ keys: [old] })
  await find('a')
  state.body = JSON.stringify({ keys: [old, fresh] })
  for (let n = 0; n < 20; n += 1) assert.deepEqual(await find('b'), [old])
  assert.equal(state.calls.length, 1)
  state.seconds = 31
  assert.deepEqual(await find('b'), [old, fresh])
})

test('while the client is away the keys from before are used', async () => {
  const { state, find } = aPublisher()
  const key = named('a')
  state.body = JSON.stringify({ keys: [key] })
  await find('a')
  state.seconds = 31
  state.isDown = true
  assert.deepEqual(await find('unknown'), [key])
  assert.deepEqual(await find('a'), [key])
})

for (const [what, change] of [
  ['an error', { status: 500 }],
  ['no JSON', { body: '<html>' }],
  ['no key set', { body: '{"keys": {}}' }],
  ['nothing', { isDown: true }],
] as const) {
  test(`a jwks_uri that answers with ${what} authenticates nobody, and is asked again`, async () => {
    const { state, find } = aPublisher()
    Object.assign(state, { body: '{"keys": []}' }, change)
    await assert.rejects(find('a'), { code: 'client.unauthenticated' })
    const key = named('a')
    Object.assign(state, { status: 200, isDown: false, body: JSON.stringify({ keys: [key] }) })
    assert.deepEqual(await find('a'), [key])
  })
}
