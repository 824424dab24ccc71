import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { TestDatabase } from '../../../test/support/database.ts'
import { canonical, thumbprint } from '../../crypto/jwk.ts'
import { buildServer } from '../../http/server/server.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { statusOfEntry } from '../../protocols/status-list/packed-list.ts'
import { parseStatusListCwt, verifyStatusListCwt } from '../../protocols/status-list/status-list-cwt.ts'
import { parseStatusListToken, verifyStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { aDatabase, aKey, anIssuer, aToken, type Issuer, request } from '../test-support/issuer.ts'
import { statusEndpoints } from './public-endpoints.ts'

const JWT = 'application/statuslist+jwt'
const CWT = 'application/statuslist+cwt'

let db: TestDatabase
let issuer: Issuer
let uri: string
let index: number
let id: string
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  const made = await aToken(issuer)
  const { body } = await request(issuer, made.token, made.template.code, [aKey()])
  const { payload } = parseSdJwt(body.credentials[0].credential).jwt
  const { status } = payload as { status: { status_list: { uri: string; idx: number } } }
  uri = status.status_list.uri
  index = status.status_list.idx
  id = made.issuance.credentials[0].id
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

/** The list byte for byte, by the server of the issuer or by another one. */
function fetched(headers: Record<string, string> = {}, server = issuer.server) {
  return server.dispatch({ method: 'GET', path: new URL(uri).pathname, headers })
}

async function statusKey() {
  return (await issuer.platform.keys.current(issuer.tenant.id, 'credential')).publicJwk
}

async function change(verb: string): Promise<void> {
  assert.equal((await issuer.api('POST', `/credentials/${verb}`, { ids: [id] })).status, 200)
}

for (const [what, accept, type] of [
  ['a JWT by default', undefined, JWT],
  ['a JWT for Accept: */*', '*/*', JWT],
  ['a JWT by Accept', JWT, JWT],
  ['a CWT by Accept', CWT, CWT],
  ['what is liked best', `${JWT};q=0.5, ${CWT}`, CWT],
] as const) {
  test(`[TS-20] a list is ${what}`, async () => {
    const { status, headers } = await fetched(accept === undefined ? {} : { accept })
    assert.deepEqual([status, headers['content-type'], headers['access-control-allow-origin']], [200, type, '*'])
    assert.deepEqual([headers.vary, headers['cache-control']], ['accept, accept-encoding', 'public, max-age=60'])
  })
}

test('[TS-20] a request that accepts neither form is refused', async () => {
  assert.equal((await fetched({ accept: 'text/html' })).status, 406)
})

test('[TS-10] [TS-11] [TS-21] [TS-23] both forms verify with the key of the credentials, and have ttl, exp and the aggregation in them', async () => {
  const key = await statusKey()
  const now = issuer.clock.at
  const jws = parseStatusListToken((await fetched()).body.toString())
  const list = verifyStatusListToken(jws, key, { uri }, now)
  const did = issuer.platform.urls.did(issuer.tenant.slug)
  const { kid, jwk } = jws.header
  assert.deepEqual([kid, jwk], [`${did}#${thumbprint(key)}`, canonical(key)], 'found by kid, and present as jwk')
  assert.deepEqual([list.bits, list.ttlSeconds, list.expiresAt], [2, 300, new Date(now.getTime() + 86_400_000)])
  const aggregation = `${issuer.platform.urls.issuer(issuer.tenant.slug)}/status-lists`
  assert.partialDeepStrictEqual(jws.payload, { status_list: { aggregation_uri: aggregation } })
  const cwt = parseStatusListCwt((await fetched({ accept: CWT })).body)
  const same = verifyStatusListCwt(cwt, key, { uri }, now)
  assert.deepEqual([same.bits, same.ttlSeconds, same.packed], [2, 300, list.packed])
  const { body: named } = await issuer.open(aggregation)
  assert.deepEqual(named, { status_lists: [uri] })
  const wellKnown = `/.well-known/oauth-authorization-server/issuers/${issuer.tenant.slug}`
  assert.equal((await issuer.open(wellKnown)).body.status_list_aggregation_endpoint, aggregation)
})

test('[TS-20] a JWT is compressed for clients that accept gzip, with an entity tag of its own', async () => {
  const plain = await fetched()
  const packed = await fetched({ 'accept-encoding': 'br, gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.deepEqual(gunzipSync(packed.body), plain.body)
  assert.notEqual(packed.headers.etag, plain.headers.etag)
  for (const coding of ['identity', 'gzip;q=0', 'br']) {
    assert.equal((await fetched({ 'accept-encoding': coding })).headers['content-encoding'], undefined)
  }
})

test('a list that is known is not sent again, until something in it changes', async () => {
  for (const headers of [{}, { accept: CWT }, { 'accept-encoding': 'gzip' }]) {
    const { headers: shown } = await fetched(headers)
    const etag = shown.etag ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      assert.equal((await fetched({ ...headers, 'if-none-match': known })).status, 304)
    }
    await change('suspend')
    const { status } = await fetched({ ...headers, 'if-none-match': etag })
    assert.equal(status, 200)
    await change('reinstate')
  }
})

test('a change shows at the next fetch from another process', async () => {
  const { platform } = issuer
  // a store of its own would be another process; what is kept hangs on the store
  const apart = { ...platform, store: { ...platform.store } }
  const authenticate = () => Promise.reject(new Error('no sign-in here'))
  const other = buildServer({ platform: apart, routes: [], endpoints: statusEndpoints, authenticate })
  const read = async () => {
    const jws = parseStatusListToken((await fetched({}, other)).body.toString())
    return statusOfEntry(verifyStatusListToken(jws, await statusKey(), { uri }, issuer.clock.at), index)
  }
  assert.equal(await read(), 0)
  await change('suspend')
  assert.equal(await read(), 2)
  await change('reinstate')
  assert.equal(await read(), 0)
  await other.close(0)
})

test('[TS-21] an unchanged list is signed anew each minute, and outlives the time for which it may be kept', async () => {
  const iatOf = async () => parseStatusListToken((await fetched()).body.toString()).payload.iat
  const start = issuer.clock.at
  const first = await iatOf()
  issuer.clock.at = new Date(start.getTime() + 59_000)
  assert.equal(await iatOf(), first)
  issuer.clock.at = new Date(start.getTime() + 61_000)
  assert.equal(await iatOf(), Math.floor(issuer.clock.at.getTime() / 1000))
  issuer.clock.at = start
})

test('[TS-22] the past state of a list is not served; an unknown list is 404', async () => {
  assert.equal((await issuer.open(`${uri}?time=1`)).status, 501)
  for (const other of ['x', '01890000-0000-7000-8000-000000000000']) {
    assert.equal((await issuer.open(`${uri.slice(0, uri.lastIndexOf('/'))}/${other}`)).status, 404)
  }
})

test('STATUS_LIST_TTL_SECONDS says how long others may keep a list', async () => {
  const slow = await anIssuer(db, 'http://localhost:8080', { statusListTtlSeconds: 86_400 })
  const made = await aToken(slow)
  const { body } = await request(slow, made.token, made.template.code, [aKey()])
  const { payload } = parseSdJwt(body.credentials[0].credential).jwt
  const { status } = payload as { status: { status_list: { uri: string } } }
  const { body: token } = await slow.open(status.status_list.uri)
  const { ttl, iat, exp } = parseStatusListToken(token).payload as { ttl: number; iat: number; exp: number }
  assert.deepEqual([ttl, exp - iat], [86_400, 172_800])
  await slow.server.close(0)
})
