// The examples of RFC 7636, RFC 7638, RFC 9449 and Attestation-Based Client Authentication as published.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { sha256Base64url } from '../../src/crypto/digest.ts'
import { readPublicJwk } from '../../src/crypto/jwk.ts'
import { checkAttestationPop, parseClientAttestation } from '../../src/protocols/oauth2/client-attestation.ts'
import { challengeOf } from '../../src/protocols/oauth2/pkce.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`data/jose-oauth/${name}.json`, import.meta.url), 'utf8'))
const rfc = read('rfc-vectors')

test('the challenge of RFC 7636, Appendix B', () => {
  const { code_verifier: verifier, code_challenge_S256: challenge } = rfc.pkce_rfc7636_appendix_b
  assert.equal(challengeOf(verifier), challenge)
})

test('the hash of the access token of RFC 9449, 7.1', () => {
  const { access_token: token, ath } = rfc.dpop_rfc9449_ath
  assert.equal(sha256Base64url(token), ath)
})

test('the thumbprint of RFC 7638, 3.1: of an RSA key, which is read for no use of ours', async () => {
  const { jwk, sha256 } = rfc['jwk_thumbprint_rfc7638_3.1']
  assert.equal(await calculateJwkThumbprint(jwk), sha256)
  assert.throws(() => readPublicJwk(jwk), { code: 'key.unsupported' })
})

test('the client attestation of draft 10 is parsed, and the key in it made the proof of possession', () => {
  const [attestation, pop] = read('client-attestation-examples').tokens
  const { sub, cnf } = parseClientAttestation(attestation).payload
  const clientId = String(sub)
  const key = readPublicJwk((cnf as { jwk: unknown }).jwk)
  const expected = { audience: 'https://as.example.com', now: new Date(1_772_487_600_000) }
  assert.partialDeepStrictEqual(checkAttestationPop(pop, { key, clientId }, expected), {
    jti: 'd25d00ab-552b-46fc-ae19-98f440f25064',
    challenge: JSON.parse(Buffer.from(pop.split('.')[1], 'base64url').toString()).challenge,
  })
  const other = { ...expected, audience: 'https://other.example' }
  assert.throws(() => checkAttestationPop(pop, { key, clientId }, other), { code: 'client_attestation.invalid' })
})
