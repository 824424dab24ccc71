import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Base64url } from '../../crypto/digest.ts'
import { generateKeyPair, thumbprint } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { isDpopNonce, makeDpopNonce } from './dpop-nonce.ts'
import { checkDpopProof } from './dpop-proof.ts'

const now = new Date('2026-06-01T12:00:00Z')
const seconds = now.getTime() / 1000
const { privateKey, publicJwk } = generateKeyPair()
const key = softwareKey(privateKey)
const expected = { method: 'POST', url: 'https://server.example.com/token', now, accessToken: 'the token' }
const good = {
  htm: 'POST',
  htu: 'https://server.example.com/token',
  iat: seconds,
  jti: 'one',
  ath: sha256Base64url('the token'),
  nonce: 'n',
}

function aProof(claims: object = {}, header: object = {}): Promise<string> {
  return signCompact({ typ: 'dpop+jwt', jwk: publicJwk, ...header }, { ...good, ...claims }, key)
}

test('a proof names its key, its jti and its nonce', async () => {
  const expiresAt = new Date((seconds + 360) * 1000)
  const proof = { jkt: thumbprint(publicJwk), jti: 'one', nonce: 'n', expiresAt }
  assert.deepEqual(checkDpopProof(await aProof(), expected), proof)
  for (const htu of ['https://SERVER.example.com:443/token', 'https://server.example.com/token?x=1#y']) {
    assert.equal(checkDpopProof(await aProof({ htu }), expected).jti, 'one')
  }
  assert.equal(checkDpopProof(await aProof({ nonce: undefined }), expected).nonce, null)
})

test('[RFC 9449 4.1] the proof of the specification is read', async () => {
  const proof =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg'
  const at = { method: 'POST', url: 'https://server.example.com/token', now: new Date(1562262616 * 1000) }
  assert.equal(checkDpopProof(proof, at).jkt, '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I')
})

for (const [what, claims, header] of [
  ['another method (FAPI2: htm)', { htm: 'GET' }, {}],
  ['a method in lower case', { htm: 'post' }, {}],
  ['another path (FAPI2: htu)', { htu: 'https://server.example.com/par' }, {}],
  ['another host', { htu: 'https://other.example.com/token' }, {}],
  ['another scheme', { htu: 'http://server.example.com/token' }, {}],
  ['a relative address', { htu: '/token' }, {}],
  ['no htu', { htu: undefined }, {}],
  ['no htm', { htm: undefined }, {}],
  ['no iat', { iat: undefined }, {}],
  ['an iat that is too old (FAPI2: iat)', { iat: seconds - 301 }, {}],
  ['an iat in the future', { iat: seconds + 61 }, {}],
  ['no jti', { jti: undefined }, {}],
  ['an empty jti', { jti: '' }, {}],
  ['a jti beyond the limit', { jti: 'x'.repeat(257) }, {}],
  ['no ath (FAPI2: ath missing)', { ath: undefined }, {}],
  ['the ath of another token', { ath: sha256Base64url('another token') }, {}],
  ['a nonce that is no string', { nonce: 1 }, {}],
  ['another type [SEC-21]', {}, { typ: 'JWT' }],
  ['no type', {}, { typ: undefined }],
  ['no key', {}, { jwk: undefined }],
  ['a private key in the header (FAPI2: private key)', {}, { jwk: privateKey.export({ format: 'jwk' }) }],
  ['another key than the one that signed', {}, { jwk: generateKeyPair().publicJwk }],
  ['a symmetric key', {}, { jwk: { kty: 'oct', k: 'AAAA' } }],
  ['a critical extension', {}, { crit: ['x'], x: 1 }],
] as const) {
  test(`[RFC 9449 4.3] a proof with ${what} is refused`, async () => {
    const proof = await aProof(claims, header)
    assert.throws(() => checkDpopProof(proof, expected), { code: 'dpop_proof.invalid' })
  })
}

test('[RFC 9449 4.3] text that is not one JWT is refused: several headers, none, unsigned, altered', async () => {
  const [head, body] = (await aProof()).split('.')
  const none = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: publicJwk })).toString('base64url')
  const altered = `${head}.${body?.replace(/.$/, (sign) => (sign === 'A' ? 'B' : 'A'))}.${(await aProof()).split('.')[2]}`
  const long = await aProof({ pad: 'x'.repeat(8192) })
  for (const text of [`${await aProof()}, ${await aProof()}`, '', 'a.b.c', `${none}.${body}.`, altered, long]) {
    assert.throws(() => checkDpopProof(text, expected), { code: 'dpop_proof.invalid' })
  }
})

test('a nonce is valid for some minutes, under its key only', async () => {
  const [own, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const nonce = makeDpopNonce(own, now)
  const later = (s: number) => new Date(now.getTime() + s * 1000)
  assert.equal(isDpopNonce(own, nonce, now), true)
  assert.equal(isDpopNonce(own, nonce, later(150)), true)
  assert.equal(isDpopNonce(own, nonce, later(300)), false)
  assert.equal(isDpopNonce(other, nonce, now), false)
  for (const text of ['', 'x', `${nonce}A`]) assert.equal(isDpopNonce(own, text, now), false)
})
