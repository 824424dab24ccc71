import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { fc } from '../../../test/support/fast-check.ts'
import { generateKeyPair, readPublicJwk } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import {
  compressList,
  emptyStatusList,
  inflateList,
  type StatusBits,
  setStatus,
  sizeOf,
  statusOfEntry,
} from './packed-list.ts'
import { buildStatusClaim, readStatusClaim } from './status-claim.ts'
import { buildStatusListToken, freshUntil, parseStatusListToken, verifyStatusListToken } from './status-list-token.ts'

const file = new URL('../../../test/vectors/data/token-status-list/vectors.json', import.meta.url)
const published = JSON.parse(readFileSync(file, 'utf8'))
const noon = new Date('2026-01-01T12:00:00Z')
const iat = noon.getTime() / 1000
const uri = 'https://issuer.example/status/1'
const key = softwareKey(generateKeyPair().privateKey)
const list = emptyStatusList(2, 1000)
setStatus(list, 7, 1)
setStatus(list, 9, 2)

for (const { id, bits, size, json, expected } of published.vectors) {
  test(`the published list ${id} decodes at every index that it states [TS-1]`, () => {
    const read = inflateList(bits, Buffer.from(json.lst, 'base64url'))
    for (const [index, status] of Object.entries(expected)) assert.equal(statusOfEntry(read, Number(index)), status)
    const ones = size > 1000 ? [1, 2, 3] : []
    for (const index of ones) assert.equal(statusOfEntry(read, index), 0)
  })
}

test('the published token is verified', () => {
  const { kty, crv, x, y } = published.signingKey
  const jws = parseStatusListToken(published.statusListTokenJwt)
  const { sub, iat } = jws.payload
  assert(typeof sub === 'string' && typeof iat === 'number')
  const read = verifyStatusListToken(jws, readPublicJwk({ kty, crv, x, y }), { uri: sub }, new Date(iat * 1000))
  assert.equal(statusOfEntry(read, 0), 1)
})

for (const bits of [1, 2, 4, 8] as const) {
  test(`what is written to a list of ${bits} bits is read back, neighbours untouched [TS-1, TS-2]`, () => {
    const statuses = fc.array(fc.nat({ max: 2 ** bits - 1 }), { minLength: 1, maxLength: 99 })
    fc.assert(
      fc.property(statuses, (values) => {
        const made = emptyStatusList(bits, values.length)
        for (const [i, value] of values.entries()) setStatus(made, i, value)
        const read = inflateList(bits, compressList(made).lst)
        assert.deepEqual(
          values.map((_, i) => statusOfEntry(read, i)),
          values,
        )
      }),
      { numRuns: 50 },
    )
  })
}

for (const index of [-1, 0.5, 8, Number.NaN, 2 ** 40]) {
  test(`index ${index} of a list of 8 is refused (7.5, step 5)`, () => {
    assert.throws(() => statusOfEntry(emptyStatusList(1, 8), index), { code: 'status_list.invalid' })
  })
}

test('a status that needs more bits is not written', () => {
  for (const status of [2, -1, 0.5])
    assert.throws(() => setStatus(emptyStatusList(1, 8), 0, status), { code: 'status_list.invalid' })
})

test('a list with bytes behind its end is refused', () => {
  const { lst } = compressList(emptyStatusList(1, 1024))
  assert.equal(inflateList(1, lst).packed.length, 128)
  for (const more of [Buffer.of(0), lst]) {
    assert.throws(() => inflateList(1, Buffer.concat([lst, more])), { code: 'status_list.invalid' })
  }
})

test('a list of zeros that inflates beyond 16 MiB is refused before it fills the memory [SEC-40]', () => {
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024))
  const before = process.memoryUsage().rss
  assert.throws(() => inflateList(1, bomb), { code: 'status_list.invalid' })
  assert(process.memoryUsage().rss - before < 64 * 1024 * 1024)
})

test('a token that we build is verified and read', async () => {
  const token = await buildStatusListToken(
    { uri, list, ttlSeconds: 300, lifetimeSeconds: 86_400, header: { kid: key.kid } },
    key,
    noon,
  )
  const read = verifyStatusListToken(parseStatusListToken(token), key.publicJwk, { uri }, noon)
  assert.deepEqual(
    [statusOfEntry(read, 7), statusOfEntry(read, 8), statusOfEntry(read, 9), sizeOf(read)],
    [1, 0, 2, 1000],
  )
  assert.equal(freshUntil(read, noon).getTime(), noon.getTime() + 300_000)
})

const claims = {
  sub: uri,
  iat,
  exp: iat + 60,
  ttl: 60,
  status_list: { bits: 2 as StatusBits, lst: compressList(list).lst.toString('base64url') },
}

for (const [what, change, header] of [
  ['for another URI', { sub: `${uri}0` }, {}],
  ['without sub', { sub: undefined }, {}],
  ['without iat', { iat: undefined }, {}],
  ['from the future', { iat: iat + 61 }, {}],
  ['that has expired', { exp: iat - 60 }, {}],
  ['with an exp that is no number', { exp: '1' }, {}],
  ['with a ttl of 0', { ttl: 0 }, {}],
  ['with 3 bits [TS-1]', { status_list: { ...claims.status_list, bits: 3 } }, {}],
  ['without list', { status_list: undefined }, {}],
  ['with a list in padded base64', { status_list: { bits: 2, lst: 'eNo=' } }, {}],
  ['with a list that is not ZLIB [TS-2]', { status_list: { bits: 2, lst: 'AAAA' } }, {}],
  ['of another type', {}, { typ: 'JWT' }],
  ['without type', {}, { typ: undefined }],
] as const) {
  test(`a status list token ${what} is refused (7.5)`, async () => {
    const token = await signCompact({ typ: 'statuslist+jwt', ...header }, { ...claims, ...change }, key)
    assert.throws(() => verifyStatusListToken(parseStatusListToken(token), key.publicJwk, { uri }, noon), {
      code: 'status_list.invalid',
    })
  })
}

test('a status list token by another key is refused (7.5, step 4)', async () => {
  const token = await signCompact({ typ: 'statuslist+jwt' }, claims, key)
  const other = generateKeyPair().publicJwk
  assert.throws(() => verifyStatusListToken(parseStatusListToken(token), other, { uri }, noon), {
    code: 'status_list.untrusted',
  })
})

for (const [ttlSeconds, expiresIn, seconds] of [
  [1, null, 60],
  [1e9, null, 86_400],
  [null, null, 300],
  [3600, 100, 100],
] as const) {
  test(`a list with ttl ${ttlSeconds} and exp in ${expiresIn} s is kept for ${seconds} s (7.5, step 8)`, () => {
    const expiresAt = expiresIn === null ? null : new Date(noon.getTime() + expiresIn * 1000)
    assert.equal(freshUntil({ ttlSeconds, expiresAt }, noon).getTime(), noon.getTime() + seconds * 1000)
  })
}

test('a status claim is read back; none is none', () => {
  const policy = { allowHttpLoopback: false }
  for (const index of [0, 3])
    assert.deepEqual(readStatusClaim(buildStatusClaim({ uri, index }), policy), { uri, index })
  assert.equal(readStatusClaim(undefined, policy), null)
})

for (const [what, status] of [
  ['of an unknown kind', { other: {} }],
  ['that is null', null],
  ['with a negative index', buildStatusClaim({ uri, index: -1 })],
  ['with an index that is a string', { status_list: { idx: '1', uri } }],
  ['with an http URI', buildStatusClaim({ uri: 'http://issuer.example/1', index: 0 })],
] as const) {
  test(`a status claim ${what} is refused (7.5, step 2)`, () => {
    assert.throws(() => readStatusClaim(status, { allowHttpLoopback: false }), { code: 'status_list.invalid' })
  })
}

test('whatever comes as a token, it is verified or refused', async () => {
  const change = fc.dictionary(fc.constantFrom('sub', 'iat', 'exp', 'ttl', 'status_list'), fc.jsonValue())
  const signed = (more: object) => signCompact({ typ: 'statuslist+jwt' }, { ...claims, ...more }, key)
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), change), async (made) => {
      const token = typeof made === 'string' ? made : await signed(made)
      try {
        verifyStatusListToken(parseStatusListToken(token), key.publicJwk, { uri }, noon)
      } catch (error) {
        assert(error instanceof Fault && error.code === 'status_list.invalid')
      }
    }),
  )
})
