import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import type { OutboundFetch } from '../../platform.ts'
import { didJwkOf } from '../../protocols/did/test-support/dids-with-keys.ts'
import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { platformTenantId } from '../../store/store.ts'
import { resolveIssuer } from '../issuers/resolve-issuer.ts'
import { checkStatus } from './check-status.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
const foreign = 'https://issuer.example/lists/1'
const config = { ...readConfig({}), publicUrl: 'https://ours.example', isDevelopment: false }
const key = softwareKey(generateKeyPair().privateKey)
const did = didJwkOf(key.publicJwk)

type Sent = { readonly known: string | undefined; readonly status: number }

/** A server of one list that knows entity tags, and writes down what it was asked with and what it answered. */
async function aServer(uri: string, etag: string | null = '"v1"') {
  const world = { status: 0, etag, at: noon, isAway: false, lifetimeSeconds: 86_400 }
  const sent: Sent[] = []
  const fetch: OutboundFetch = async (_tenantId, _url, { headers }) => {
    if (world.isAway) throw new Fault('upstream.unreachable')
    const known = headers?.['if-none-match']
    const status = known !== undefined && known === world.etag ? 304 : 200
    sent.push({ known, status })
    const shown = world.etag === null ? {} : { etag: world.etag }
    const body = Buffer.from(status === 304 ? '' : await tokenOf(uri, world))
    return { status, headers: shown, contentType: 'application/statuslist+jwt', body }
  }
  const platform = { config, fetch, memory: new Memory(), tenantId: platformTenantId }
  const issuer = await resolveIssuer(platform, { header: {}, payload: { iss: did } }, noon)
  const check = async (now: Date) => {
    const found = await checkStatus(platform, { status_list: { idx: 7, uri } }, issuer, now)
    return found.map(({ code }) => code)
  }
  return { world, sent, check }
}

function tokenOf(uri: string, { status, at, lifetimeSeconds }: { status: number; at: Date; lifetimeSeconds: number }) {
  const list = emptyStatusList(2, 1024)
  setStatus(list, 7, status)
  return buildStatusListToken({ uri, list, ttlSeconds: 300, lifetimeSeconds, header: { kid: `${did}#0` } }, key, at)
}

test('a foreign list is asked about when its ttl is over, and not fetched again if it is the same [TS-21]', async () => {
  const { world, sent, check } = await aServer(foreign)
  assert.deepEqual(await check(noon), [])
  assert.deepEqual(await check(later(299)), [])
  assert.deepEqual(await check(later(301)), [])
  assert.deepEqual(await check(later(599)), [])
  const first = { known: undefined, status: 200 }
  assert.deepEqual(sent, [first, { known: '"v1"', status: 304 }])
  Object.assign(world, { status: 1, etag: '"v2"', at: later(602) })
  assert.deepEqual(await check(later(602)), ['status.revoked'])
})

test('a list of our own is asked about each time: what is revoked is so at the next check', async () => {
  const { world, sent, check } = await aServer(`${config.publicUrl}/issuers/acme/status-lists/1`)
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await check(noon), [])
  assert.deepEqual(
    sent.map(({ status }) => status),
    [200, 304, 304],
  )
  Object.assign(world, { status: 2, etag: '"v2"' })
  assert.deepEqual(await check(noon), ['status.suspended'])
})

test('an address that only begins like ours is a stranger', async () => {
  const { sent, check } = await aServer('https://ours.example.org/lists/1')
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await check(noon), [])
  assert.equal(sent.length, 1)
})

test('a list that has run out is fetched anew, whatever its tag; one that is out of reach says nothing [7.5, step 7]', async () => {
  const { world, sent, check } = await aServer(foreign)
  world.lifetimeSeconds = 400
  assert.deepEqual(await check(noon), [])
  world.at = later(401)
  assert.deepEqual(await check(later(401)), [])
  assert.deepEqual(sent.at(-1), { known: undefined, status: 200 })
  world.isAway = true
  assert.deepEqual(await check(later(702)), ['status.unavailable'])
})

test('a list is verified again after a day, also one that stays the same: its key may have been withdrawn', async () => {
  const { world, sent, check } = await aServer(foreign)
  world.lifetimeSeconds = 10 * 86_400
  for (let hour = 0; hour <= 24; hour += 1) assert.deepEqual(await check(later(hour * 3600)), [])
  const full = sent.filter(({ status }) => status === 200)
  assert.equal(full.length, 2)
})

test('a server without tags, or with one that cannot be sent back, is asked for the whole list', async () => {
  for (const etag of [null, 'v1', `"${'x'.repeat(300)}"`, '"a b"']) {
    const { sent, check } = await aServer(foreign, etag)
    assert.deepEqual(await check(noon), [])
    assert.deepEqual(await check(later(301)), [])
    assert.deepEqual(
      sent.map(({ known }) => known),
      [undefined, undefined],
    )
  }
})
