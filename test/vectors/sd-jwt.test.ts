import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { sha256Base64url } from '../../src/crypto/digest.ts'
import { readPublicJwk } from '../../src/crypto/jwk.ts'
import { verifyCompact } from '../../src/crypto/jws.ts'
import { checkSdJwtVc } from '../../src/protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { processSdJwt } from '../../src/protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'
import { verifyPresentation } from '../../src/protocols/sd-jwt-vc/verify-presentation.ts'

// Published examples: RFC 9901 (sections 4.2, 5 and appendix A) and OpenID4VP 1.0 (B.3, an SD-JWT VC with a key
// binding).
const folder = new URL('data/sd-jwt/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
/** Published texts are broken into lines for print. */
const readUnbroken = (name: string) => read(name).replace(/\s/g, '')

type Case = {
  readonly id: string
  readonly sdjwt: string
  readonly processedPayload: object
  readonly kbPayload?: { readonly nonce: string; readonly aud: string; readonly iat: number }
}
type Published = {
  readonly issuerPublicJwk: object
  readonly cases: readonly Case[]
  readonly disclosureHash: [string, string][]
}

const rfc = JSON.parse(read('rfc9901.json')) as Published
const issuerKey = readPublicJwk(rfc.issuerPublicJwk)

/** Examples are of other types than SD-JWT VC too. */
const expectedFindings: Readonly<Record<string, readonly string[]>> = {
  'rfc9901-A.3': [],
  'rfc9901-A.4': ['jwt.type', 'vct.missing'],
}

describe('RFC 9901', () => {
  for (const [disclosure, digest] of rfc.disclosureHash) {
    test(`4.2.3: the digest of ${disclosure.slice(0, 16)}… as received [SD-3]`, () =>
      assert.equal(sha256Base64url(disclosure), digest))
  }

  for (const { id, sdjwt, processedPayload, kbPayload } of rfc.cases) {
    const sdJwt = parseSdJwt(sdjwt)
    test(`${id}: the signature holds and the disclosures give the published payload`, () => {
      verifyCompact(sdJwt.jwt, issuerKey)
      const { payload, findings } = processSdJwt(sdJwt)
      assert.deepEqual([findings, payload], [[], processedPayload])
    })

    if (kbPayload === undefined) continue
    test(`${id}: the key binding holds for its request and for no other`, () => {
      const { nonce, aud, iat } = kbPayload
      const policy = { issuerKey, now: new Date(iat * 1000), keyBinding: 'required', nonce, aud } as const
      const codes = (change: object) =>
        verifyPresentation(sdJwt, { ...policy, ...change }).findings.map(({ code }) => code)
      assert.deepEqual(
        codes({}).filter((code) => code.startsWith('kb.')),
        [],
      )
      assert.deepEqual(
        codes({ nonce: 'other' }).filter((code) => code.startsWith('kb.')),
        ['kb.nonce'],
      )
    })
  }

  for (const [id, codes] of Object.entries(expectedFindings)) {
    test(`${id}: as SD-JWT VC it has ${codes.length === 0 ? 'no findings' : codes.join(', ')}`, () => {
      const one = rfc.cases.find((candidate) => candidate.id === id)
      assert(one !== undefined)
      const now = new Date('2025-06-01T00:00:00Z')
      const { findings } = checkSdJwtVc(parseSdJwt(one.sdjwt), { issuerKey, now })
      assert.deepEqual(
        findings.map(({ code }) => code),
        codes,
      )
    })
  }
})

describe('OpenID4VP 1.0, B.3', () => {
  const { nonce, aud, iat } = JSON.parse(read('oid4vp-sd-jwt-vcld/kb_jwt_payload.json')) as Required<Case>['kbPayload']
  const policy = { issuerKey, now: new Date(iat * 1000), keyBinding: 'required', nonce, aud } as const

  test('the presentation verifies to the published contents', () => {
    const { claims, findings } = verifyPresentation(
      parseSdJwt(readUnbroken('oid4vp-sd-jwt-vcld/sd_jwt_presentation.txt')),
      policy,
    )
    assert.deepEqual([findings, claims], [[], JSON.parse(read('oid4vp-sd-jwt-vcld/verified_contents.json'))])
  })

  test('the issued credential says every claim of the user, and has no key binding', () => {
    const issued = parseSdJwt(readUnbroken('oid4vp-sd-jwt-vcld/sd_jwt_issuance.txt'))
    const { payload, findings } = checkSdJwtVc(issued, policy)
    const { ld } = JSON.parse(read('oid4vp-sd-jwt-vcld/user_claims.json')) as { ld: object }
    assert.deepEqual([findings, payload.ld], [[], ld])
    assert.deepEqual(
      verifyPresentation(issued, policy).findings.map(({ code }) => code),
      ['kb.missing'],
    )
  })
})
