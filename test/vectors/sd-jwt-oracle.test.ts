import assert from 'node:assert/strict'
import { createHash, sign, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { JsonObject } from '../../src/crypto/json.ts'
import { generateKeyPair, importPublicJwk } from '../../src/crypto/jwk.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import type { ClaimPath } from '../../src/protocols/sd-jwt-vc/claim-path.ts'
import { type DisclosurePlan, issueSdJwtVc } from '../../src/protocols/sd-jwt-vc/issue-sd-jwt-vc.ts'
import { presentSdJwt } from '../../src/protocols/sd-jwt-vc/present-sd-jwt.ts'
import { isControlClaim } from '../../src/protocols/sd-jwt-vc/reserved-names.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'
import { verifyPresentation } from '../../src/protocols/sd-jwt-vc/verify-presentation.ts'
import { noon, noonSeconds } from '../support/sd-jwt.ts'

// Another implementation as oracle, both ways: it reads what we write and writes what we read. The cases are its own.
const folder = new URL('data/sd-jwt/testcases/', import.meta.url)
type Case = {
  readonly claims: JsonObject
  readonly disclosureFrame: object
  readonly presentationFrames: object
  readonly presentedClaims: object
}

/**
 * RFC 9901 7.1 (3.e) takes `_sd` away and leaves its object, as the other one's code does, too; its case file says
 * otherwise.
 */
const emptied: Readonly<Record<string, object>> = { 'js-array_none_disclosed.json': { is_over: {} } }

const issuer = generateKeyPair()
const holder = generateKeyPair()
const vct = 'https://issuer.example/vct/case'
const request = { nonce: 'n-1', aud: 'https://verifier.example' }
const policy = { issuerKey: issuer.publicJwk, now: noon, keyBinding: 'required', ...request } as const

const dsaEncoding = 'ieee-p1363'
const signerOf =
  ({ privateKey }: typeof issuer) =>
  (text: string) =>
    sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }).toString('base64url')
const verifierOf =
  ({ publicJwk }: typeof issuer) =>
  (text: string, signature: string) =>
    verify(
      'sha256',
      Buffer.from(text),
      { key: importPublicJwk(publicJwk), dsaEncoding },
      Buffer.from(signature, 'base64url'),
    )

let salts = 0
const nextSalt = () => {
  salts += 1
  return salts
}
const oracle = new SDJwtVcInstance({
  signer: signerOf(issuer),
  verifier: verifierOf(issuer),
  kbSigner: signerOf(holder),
  kbVerifier: verifierOf(holder),
  signAlg: 'ES256',
  kbSignAlg: 'ES256',
  hashAlg: 'sha-256',
  hasher: (text) =>
    createHash('sha256')
      .update(typeof text === 'string' ? text : new Uint8Array(text))
      .digest(),
  saltGenerator: (length) => 'salt'.repeat(length).slice(0, length) + nextSalt(),
})

function saying(payload: object): object {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !isControlClaim(name)))
}

for (const file of readdirSync(folder)) {
  const { claims, disclosureFrame, presentationFrames, presentedClaims } = JSON.parse(
    readFileSync(new URL(file, folder), 'utf8'),
  ) as Case

  test(`${file}: we read what the other one issued and presented`, async () => {
    const payload = { ...claims, iss: 'https://issuer.example', iat: noonSeconds, vct, cnf: { jwk: holder.publicJwk } }
    const issued = await oracle.issue(payload, disclosureFrame)
    const kb = { payload: { ...request, iat: noonSeconds } }
    const presented = await oracle.present(issued, presentationFrames, { kb })
    const { claims: read, findings } = verifyPresentation(parseSdJwt(presented), policy)
    assert.deepEqual([findings, saying(read)], [[], emptied[file] ?? presentedClaims])
    const { payload: readThere } = await oracle.verify(presented, { currentDate: noonSeconds })
    assert.deepEqual(saying(read), saying(readThere))
  })
}

describe('the other one reads what we issue and present:', async () => {
  const claims = {
    name: 'Thandi',
    person: { town: 'T', age: { years: 30 } },
    tags: ['x', { y: 1 }, ['z']],
    over18: true,
  }
  const deep = { person: { properties: { age: { properties: {} } } }, tags: { items: { items: {} } } }
  const plans: readonly (readonly [what: string, plan: DisclosurePlan])[] = [
    ['flat', {}],
    ['nested', deep],
    ['partly in the clear', { ...deep, over18: { alwaysDisclosed: true }, name: { alwaysDisclosed: true } }],
  ]
  for (const [what, disclosure] of plans) {
    const draft = { claims, disclosure, vct, iat: noon, cnfJwk: holder.publicJwk, header: {} }
    const issued = await issueSdJwtVc(draft, softwareKey(issuer.privateKey))

    test(`${what}, whole`, async () => {
      const { payload } = await oracle.verify(issued, { currentDate: noonSeconds })
      assert.deepEqual(saying(payload), claims)
    })

    test(`${what}, in part and with key binding`, async () => {
      const paths: readonly ClaimPath[] = [['person'], ['over18']]
      const key = softwareKey(holder.privateKey)
      const presented = await presentSdJwt(parseSdJwt(issued), paths, { ...request, iat: noon, key })
      const { payload, kb } = await oracle.verify(presented, {
        currentDate: noonSeconds,
        keyBindingNonce: request.nonce,
      })
      const { tags, ...shown } = saying(payload) as typeof claims
      const always = what === 'partly in the clear' ? { name: 'Thandi' } : {}
      assert.deepEqual([shown, tags], [{ ...always, person: claims.person, over18: true }, undefined])
      assert.equal(kb?.payload.aud, request.aud)
    })
  }
})
