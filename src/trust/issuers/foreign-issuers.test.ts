import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { type SigningKey, softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import type { OutboundFetch } from '../../platform.ts'
import { ownDidDocument } from '../../protocols/did/did-document.ts'
import { didJwkOf, didKeyOf } from '../../protocols/did/test-support/dids-with-keys.ts'
import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { platformTenantId } from '../../store/store.ts'
import { checkStatus } from '../status-lists/check-status.ts'
import { resolveIssuer } from './resolve-issuer.ts'

const noon = new Date('2026-05-01T12:00:00.000Z')
const did = 'did:web:issuer.example:tenants:a'
const didUrl = 'https://issuer.example/tenants/a/did.json'
const listUri = 'https://issuer.example/lists/1'

/** What the world serves: by URL a document, or a token as text. Counts how often it was asked. */
type World = { readonly pages: Map<string, unknown>; asked: number }

function aPlatform(pages: Record<string, unknown> = {}) {
  const world: World = { pages: new Map(Object.entries(pages)), asked: 0 }
  const fetch: OutboundFetch = async (_tenantId, url, { accept }) => {
    world.asked += 1
    const page = world.pages.get(url)
    if (page === undefined) throw new Fault('upstream.unreachable')
    const body = Buffer.from(typeof page === 'string' ? page : JSON.stringify(page))
    return { status: 200, headers: {}, contentType: accept[0] ?? '', body }
  }
  return {
    world,
    config: { ...readConfig({}), isDevelopment: false },
    fetch,
    memory: new Memory(),
    tenantId: platformTenantId,
  }
}
function aKey(): SigningKey {
  return softwareKey(generateKeyPair().privateKey)
}
function credentialBy(iss: string, kid?: string) {
  return { header: { ...(kid !== undefined && { kid }) }, payload: { iss } }
}
function documentOf(...keys: SigningKey[]): object {
  return ownDidDocument(
    did,
    keys.map(({ kid, publicJwk }) => ({ kid, publicJwk, purpose: 'assertionMethod' })),
  )
}
function later(seconds: number): Date {
  return new Date(noon.getTime() + seconds * 1000)
}

test('the key of a did:jwk and of a did:key is in the DID itself', async () => {
  const key = aKey()
  for (const one of [didJwkOf(key.publicJwk), didKeyOf(key.publicJwk)]) {
    const found = await resolveIssuer(aPlatform(), credentialBy(one), noon)
    assert.partialDeepStrictEqual(found, { issuer: one, mechanism: 'did', trusted: true, key: key.publicJwk })
  }
})

test('the key of a did:web comes from its document, which is fetched once', async () => {
  const key = aKey()
  const platform = aPlatform({ [didUrl]: documentOf(key, aKey()) })
  for (const _ of [1, 2]) {
    const found = await resolveIssuer(platform, credentialBy(did, `${did}#${key.kid}`), noon)
    assert.partialDeepStrictEqual(found, { issuer: did, trusted: true, key: key.publicJwk })
  }
  assert.equal(platform.world.asked, 1)
})

test('a key that a kept document lacks is looked for in a fresh one, but not at every bad credential', async () => {
  const [old, next] = [aKey(), aKey()]
  const platform = aPlatform({ [didUrl]: documentOf(old) })
  await resolveIssuer(platform, credentialBy(did, `${did}#${old.kid}`), noon)
  platform.world.pages.set(didUrl, documentOf(old, next))
  const wanted = credentialBy(did, `${did}#${next.kid}`)
  await assert.rejects(resolveIssuer(platform, wanted, later(5)), { code: 'did.unresolvable' })
  assert.equal(platform.world.asked, 1)
  assert.equal((await resolveIssuer(platform, wanted, later(20))).trusted, true)
})

test('[VC-21] an issuer whose document is about another issuer, or missing, has no key', async () => {
  const platform = aPlatform({ [didUrl]: { ...documentOf(aKey()), id: 'did:web:other.example' } })
  await assert.rejects(resolveIssuer(platform, credentialBy(did), noon), { code: 'did.unresolvable' })
  await assert.rejects(resolveIssuer(aPlatform(), credentialBy(did), noon), { code: 'upstream.unreachable' })
  await assert.rejects(resolveIssuer(platform, { header: {}, payload: {} }, noon), { code: 'issuer.undiscoverable' })
})

test('an https issuer names its keys in its metadata, or where they are', async () => {
  const key = aKey()
  const jwks = { keys: [{ ...key.publicJwk, kid: 'k1' }] }
  const [one, two] = ['https://one.example/a', 'https://two.example']
  const platform = aPlatform({
    'https://one.example/.well-known/jwt-vc-issuer/a': { issuer: one, jwks },
    'https://two.example/.well-known/jwt-vc-issuer': { issuer: two, jwks_uri: 'https://two.example/jwks' },
    'https://two.example/jwks': jwks,
  })
  for (const issuer of [one, two]) {
    const found = await resolveIssuer(platform, credentialBy(issuer, 'k1'), noon)
    assert.partialDeepStrictEqual(found, { issuer, mechanism: 'jwt-vc-issuer', trusted: true })
    await assert.rejects(resolveIssuer(platform, credentialBy(issuer, 'k2'), noon), { code: 'issuer.undiscoverable' })
  }
})

type Listing = { readonly signer?: SigningKey; readonly status?: number; readonly uri?: string; readonly now?: Date }

/** An issuer, its platform, and a list whose entry 7 has a status. */
async function aListed({ signer, status = 0, uri = listUri, now = noon }: Listing = {}) {
  const [key, statusKey] = [aKey(), signer ?? aKey()]
  const list = emptyStatusList(2, 1024)
  setStatus(list, 7, status)
  const ask = { uri, list, ttlSeconds: 300, lifetimeSeconds: 86_400, header: { kid: `${did}#${statusKey.kid}` } }
  const token = await buildStatusListToken(ask, statusKey, now)
  const published = signer === undefined ? documentOf(key, statusKey) : documentOf(key)
  const platform = aPlatform({ [didUrl]: published, [listUri]: token })
  return { platform, issuer: await resolveIssuer(platform, credentialBy(did, `${did}#${key.kid}`), noon) }
}
function entry(idx: unknown, uri: unknown = listUri): unknown {
  return { status_list: { idx, uri } }
}
async function codesOf(listing: Listing, status: unknown): Promise<string[]> {
  const { platform, issuer } = await aListed(listing)
  return (await checkStatus(platform, status, issuer, noon)).map((one) => one.code)
}

for (const [what, listing, status, codes] of [
  ['no status', {}, undefined, []],
  ['a valid entry', {}, entry(7), []],
  ['a revoked entry', { status: 1 }, entry(7), ['status.revoked']],
  ['a suspended entry', { status: 2 }, entry(7), ['status.suspended']],
  ['an entry of a reserved value', { status: 3 }, entry(7), ['status.other']],
  ['an index outside the list', {}, entry(1024), ['status.out_of_range']],
  ['an index that is none', {}, entry(-1), ['status.malformed']],
  ['a status of an unknown kind', {}, { other: {} }, ['status.unsupported']],
  ['a status without any kind', {}, {}, ['status.malformed']],
  ['a status list that is no object', {}, { status_list: 7, other: {} }, ['status.malformed']],
  ['a list at an address that is not https', {}, entry(7, 'http://issuer.example/lists/1'), ['status.malformed']],
  ['a list that cannot be fetched', {}, entry(7, 'https://issuer.example/lists/2'), ['status.unavailable']],
  ['a list that is about another address', { uri: 'https://issuer.example/lists/2' }, entry(7), ['status.invalid']],
  ['a list that has run out', { now: later(-90_000) }, entry(7), ['status.invalid']],
  ['a list by a key that is not in the document', { signer: aKey() }, entry(7), ['status.untrusted']],
] as const) {
  test(`[7.5] a credential with ${what} has the findings ${JSON.stringify(codes)}`, async () => {
    assert.deepEqual(await codesOf(listing, status), codes)
  })
}

test('[TS-10] the list of one issuer says nothing about the credentials of another', async () => {
  const { platform, issuer } = await aListed()
  const key = aKey()
  const stranger = await resolveIssuer(platform, credentialBy(didJwkOf(key.publicJwk)), noon)
  assert.deepEqual(await checkStatus(platform, entry(7), issuer, noon), [])
  const [found] = await checkStatus(platform, entry(7), stranger, noon)
  assert.equal(found?.code, 'status.untrusted')
})

test('a list is cached for its ttl and fetched again then', async () => {
  const { platform, issuer } = await aListed()
  await checkStatus(platform, entry(7), issuer, noon)
  const { asked } = platform.world
  await checkStatus(platform, entry(8), issuer, later(299))
  assert.equal(platform.world.asked, asked)
  await checkStatus(platform, entry(8), issuer, later(301))
  assert.ok(platform.world.asked > asked)
})

test('many small lists are cached, but few large ones, since every issuer may name them [SEC-40]', async () => {
  const key = aKey()
  const one = didJwkOf(key.publicJwk)
  const uris = Array.from({ length: 6 }, (_, i) => `https://issuer.example/lists/${i}`)
  for (const [size, askedAgain] of [
    [1024, 0],
    [2 ** 24, 6],
  ] as const) {
    const tokenAt = async (uri: string) => {
      const header = { kid: `${one}#0` }
      const ask = { uri, list: emptyStatusList(1, size), ttlSeconds: 300, lifetimeSeconds: 86_400, header }
      return [uri, await buildStatusListToken(ask, key, noon)] as const
    }
    const platform = aPlatform(Object.fromEntries(await Promise.all(uris.map(tokenAt))))
    const issuer = await resolveIssuer(platform, credentialBy(one), noon)
    for (const uri of uris) assert.deepEqual(await checkStatus(platform, entry(7, uri), issuer, noon), [])
    const { asked } = platform.world
    for (const uri of uris) await checkStatus(platform, entry(8, uri), issuer, noon)
    assert.equal(platform.world.asked - asked, askedAgain)
  }
})

test('a transient failure of the peer is `unavailable`, a negative answer `missing`', async () => {
  const { platform, issuer } = await aListed()
  for (const [status, code] of [
    [503, 'status.unavailable'],
    [429, 'status.unavailable'],
    [404, 'status.missing'],
    [302, 'status.missing'],
  ] as const) {
    const fetch: OutboundFetch = async () => ({ status, headers: {}, contentType: '', body: Buffer.alloc(0) })
    const [found] = await checkStatus({ ...platform, fetch, memory: new Memory() }, entry(7), issuer, noon)
    assert.equal(found?.code, code)
    const resolved = resolveIssuer({ ...platform, fetch, memory: new Memory() }, credentialBy(did), noon)
    await assert.rejects(resolved, { code: status >= 429 ? 'upstream.answer' : 'issuer.undiscoverable' })
  }
})
