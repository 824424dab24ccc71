import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { Fault } from '../fault.ts'
import { toBase64url } from './base64url.ts'
import { generateKeyPair } from './jwk.ts'
import { parseCompact, signCompact, verifyCompact } from './jws.ts'
import { softwareKey } from './signing-key.ts'

const pair = generateKeyPair()
const key = softwareKey(pair.privateKey)
const ed25519 = softwareKey(generateKeyPairSync('ed25519').privateKey)

/** A JWS whose header may lie about its algorithm. */
async function signed(header: object | string, payload: object | string = { a: 1 }, by = key): Promise<string> {
  const part = (value: object | string) => toBase64url(typeof value === 'string' ? value : JSON.stringify(value))
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${(await by.sign(Buffer.from(input))).toString('base64url')}`
}

describe('what we sign', () => {
  for (const one of [key, ed25519]) {
    test(`${one.alg} is verified by its own public key and by no other`, async () => {
      const jws = await signCompact({ typ: 'x+jwt', kid: one.kid }, { a: 1 }, one)
      assert.deepEqual(verifyCompact(jws, one.publicJwk, { typ: 'x+jwt' }).payload, { a: 1 })
      assert.throws(() => verifyCompact(jws, generateKeyPair().publicJwk), { code: 'jws.refused' })
    })
  }

  test('the newer name of EdDSA is understood (RFC 9864)', async () => {
    assert.deepEqual(verifyCompact(await signed({ alg: 'Ed25519' }, { a: 1 }, ed25519), ed25519.publicJwk).payload, {
      a: 1,
    })
  })

  test('a media type may be written with its prefix and in any case (RFC 7515, 4.1.9)', async () => {
    verifyCompact(await signed({ alg: 'ES256', typ: 'Application/X+JWT' }), key.publicJwk, { typ: ['x+jwt'] })
  })
})

describe('a JWS is refused with', async () => {
  const good = await signed({ alg: 'ES256', typ: 'x+jwt' })
  const [head = '', body = '', signature = ''] = good.split('.')
  const der = generateKeyPair()
  const rows: readonly (readonly [what: string, jws: string, detail: RegExp])[] = [
    ['alg none [SEC-20]', `${toBase64url('{"alg":"none"}')}.${body}.`, /algorithm/],
    ['alg None in another case [SEC-20]', await signed({ alg: 'NONE', typ: 'x+jwt' }), /algorithm/],
    ['alg HS256 [SEC-20]', await signed({ alg: 'HS256', typ: 'x+jwt' }), /algorithm/],
    ['alg RS256 [SEC-20]', await signed({ alg: 'RS256', typ: 'x+jwt' }), /algorithm/],
    ['no alg [SEC-20]', await signed({ typ: 'x+jwt' }), /algorithm/],
    ['an alg that is an array [SEC-20]', await signed({ alg: ['ES256'], typ: 'x+jwt' }), /algorithm/],
    ['an alg that does not fit the key [SEC-20]', await signed({ alg: 'EdDSA', typ: 'x+jwt' }), /does not match/],
    ['crit [SEC-20]', await signed({ alg: 'ES256', typ: 'x+jwt', crit: ['exp'] }), /extension/],
    ['an empty crit [SEC-20]', await signed({ alg: 'ES256', typ: 'x+jwt', crit: [] }), /extension/],
    ['b64 false [SEC-20]', await signed({ alg: 'ES256', typ: 'x+jwt', b64: false }), /extension/],
    ['another typ [SEC-21]', await signed({ alg: 'ES256', typ: 'y+jwt' }), /another type/],
    ['no typ [SEC-21]', await signed({ alg: 'ES256' }), /another type/],
    [
      'the signature of another key',
      await signed({ alg: 'ES256', typ: 'x+jwt' }, { a: 1 }, softwareKey(der.privateKey)),
      /not valid/,
    ],
    ['another payload', `${head}.${toBase64url('{"a":2}')}.${signature}`, /not valid/],
    ['an empty signature', `${head}.${body}.`, /not valid/],
    ['r = 0 and s = 0 [SEC-26]', `${head}.${body}.${toBase64url(Buffer.alloc(64))}`, /not valid/],
    ['a signature one byte too long [SEC-26]', `${head}.${body}.${toBase64url(Buffer.alloc(65, 1))}`, /not valid/],
  ]
  for (const [what, jws, detail] of rows) {
    test(what, () => {
      assert.throws(
        () => verifyCompact(jws, key.publicJwk, { typ: 'x+jwt' }),
        (error) => error instanceof Fault && error.code === 'jws.refused' && detail.test(error.message),
      )
    })
  }

  test('an algorithm outside the allow-list of this use [SEC-20]', async () => {
    const jws = await signCompact({}, { a: 1 }, ed25519)
    assert.throws(() => verifyCompact(jws, ed25519.publicJwk, { algs: ['ES256'] }), { code: 'jws.refused' })
  })

  test('a private key given where a public one belongs', () => {
    assert.throws(() => verifyCompact(good, pair.privateKey), { code: 'jws.refused' })
  })
})

describe('a text is no JWS because of', () => {
  const head = toBase64url('{"alg":"ES256"}')
  const rows: readonly (readonly [what: string, jws: string])[] = [
    ['two parts', `${head}.e30`],
    ['four parts', `${head}.e30.AA.AA`],
    ['an empty header', '.e30.AA'],
    ['padding [SEC-25]', `${head}.e30=.AA`],
    ['whitespace [SEC-25]', `${head}. e30.AA`],
    ['a second spelling of the same bytes [SEC-25]', `${head}.e31.AA`.replace('e31', 'e3B')],
    ['the standard alphabet [SEC-25]', `${head}.e30.+/`],
    ['a payload that is an array', `${head}.${toBase64url('[]')}.AA`],
    ['a payload that is no JSON', `${head}.${toBase64url('{')}.AA`],
    ['a payload that is not UTF-8', `${head}.${toBase64url(Buffer.from('7b2261223a22ff227d', 'hex'))}.AA`],
    ['a name twice in the payload [SEC-24]', `${head}.${toBase64url('{"aud":"a","aud":"b"}')}.AA`],
    ['a name twice in the header [SEC-24]', `${toBase64url('{"alg":"ES256","alg":"none"}')}.e30.AA`],
    ['a name twice, once escaped [SEC-24]', `${head}.${toBase64url('{"exp":1,"\\u0065xp":2}')}.AA`],
    ['a name twice, deep inside [SEC-24]', `${head}.${toBase64url('{"a":[{"b":{"c":1,"c":1}}]}')}.AA`],
    ['a member __proto__ [SEC-23]', `${head}.${toBase64url('{"__proto__":{"a":1}}')}.AA`],
    ['depth 33 [SEC-41]', `${head}.${toBase64url(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)}.AA`],
    ['its length [SEC-41]', `${head}.${'A'.repeat(512 * 1024)}.AA`],
  ]
  for (const [what, jws] of rows) {
    test(what, () => assert.throws(() => parseCompact(jws), { code: 'jws.malformed' }))
  }

  test('nothing, at depth 32 and with colons and quotes in strings', () => {
    const text = `{"a:":"\\":{\\\\","b":${'['.repeat(31)}${']'.repeat(31)}}`
    assert.equal(parseCompact(`${head}.${toBase64url(text)}.AA`).payload['a:'], '":{\\')
  })
})

test('garbage gives a Fault and never another error', () => {
  const piece = fc.oneof(fc.string(), fc.json().map(toBase64url), fc.base64String(), fc.constantFrom('.', '..', ''))
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('.')),
  )
  fc.assert(
    fc.property(text, (jws) => {
      try {
        verifyCompact(jws, key.publicJwk)
        return false
      } catch (error) {
        return error instanceof Fault
      }
    }),
    { numRuns: 2000 },
  )
})
