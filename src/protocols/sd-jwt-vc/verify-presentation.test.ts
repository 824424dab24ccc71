import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  digestOf,
  disclosureOf,
  forgedCompact,
  goodPayload,
  holderKey,
  issuerKey,
  noon,
  noonSeconds,
} from '../../../test/support/sd-jwt.ts'
import { toBase64url } from '../../crypto/base64url.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { checkReceivedSdJwtVc, type RequestedSdJwtVc } from './check-sd-jwt-vc.ts'
import type { FindingCode } from './findings.ts'
import { parseSdJwt } from './sd-jwt.ts'
import { type PresentationPolicy, verifyPresentation } from './verify-presentation.ts'

const stranger = softwareKey(generateKeyPair().privateKey)
const policy: PresentationPolicy = {
  issuerKey: issuerKey.publicJwk,
  now: noon,
  keyBinding: 'required',
  nonce: 'n-1',
  aud: 'x509_san_dns:verifier.example',
}
const disclosures = [disclosureOf(['salt 1', 'name', 'Thandi']), disclosureOf(['salt 2', 'age', 30])]
const withDigests = { _sd: disclosures.map(digestOf) }

type Spoil = {
  readonly payload?: object
  readonly header?: object
  readonly kb?: object | null
  readonly kbHeader?: object
  readonly by?: typeof holderKey
  readonly policy?: Partial<PresentationPolicy>
}

/** A presentation that is right in everything but what is said. */
async function aPresentation({
  payload = {},
  header = {},
  kb = {},
  kbHeader = {},
  by = holderKey,
}: Spoil): Promise<string> {
  const presented = await forgedCompact(goodPayload({ ...withDigests, ...payload }), disclosures, header)
  if (kb === null) return presented
  const bound = { iat: noonSeconds, nonce: policy.nonce, aud: policy.aud, sd_hash: digestOf(presented), ...kb }
  return presented + (await signCompact({ typ: 'kb+jwt', ...kbHeader }, bound, by))
}

function codesOf(text: string, change: Partial<PresentationPolicy> = {}): FindingCode[] {
  return verifyPresentation(parseSdJwt(text), { ...policy, ...change }).findings.map(({ code }) => code)
}

/** The same presentation with the header of the key binding overwritten, so that the signature no longer matters. */
async function withKbHeader(header: object): Promise<string> {
  const text = await aPresentation({})
  const at = text.lastIndexOf('~') + 1
  return `${text.slice(0, at)}${toBase64url(JSON.stringify(header))}${text.slice(text.indexOf('.', at))}`
}

test('a presentation that breaks no rule has no findings, and says what was disclosed', async () => {
  const { claims, findings, keyBinding } = verifyPresentation(parseSdJwt(await aPresentation({})), policy)
  assert.deepEqual([findings, claims.name, claims.age, keyBinding?.nonce], [[], 'Thandi', 30, 'n-1'])
})

const refusals: readonly (readonly [what: string, code: FindingCode, spoil: Spoil])[] = [
  ['5.6: key binding stripped [SEC-56]', 'kb.missing', { kb: null }],
  ['5.6: no cnf', 'kb.no_key', { payload: { cnf: undefined } }],
  ['5.6: cnf without jwk', 'kb.no_key', { payload: { cnf: { jku: 'https://evil.example' } } }],
  [
    '5.6: cnf with a private key [VC-4]',
    'cnf.malformed',
    { payload: { cnf: { jwk: { ...holderKey.publicJwk, d: 'AA' } } } },
  ],
  ['5.6: signed by another key', 'kb.signature', { by: stranger }],
  ['5.6: signed by the issuer', 'kb.signature', { by: issuerKey }],
  ['5.6: typ JWT [SEC-21]', 'kb.type', { kbHeader: { typ: 'JWT' } }],
  ['5.6: no typ [SEC-21]', 'kb.type', { kbHeader: { typ: undefined } }],
  ['5.6: crit', 'kb.critical', { kbHeader: { crit: ['x'] } }],
  ['5.6: iat 301 s old', 'kb.time', { kb: { iat: noonSeconds - 301 } }],
  ['5.6: iat 301 s ahead', 'kb.time', { kb: { iat: noonSeconds + 301 } }],
  ['5.6: no iat', 'kb.time', { kb: { iat: undefined } }],
  ['5.6: iat that is a string', 'kb.time', { kb: { iat: String(noonSeconds) } }],
  ['5.6: its exp is over', 'kb.time', { kb: { exp: noonSeconds - 61 } }],
  ['5.6: its nbf is ahead', 'kb.time', { kb: { nbf: noonSeconds + 61 } }],
  ['5.6: another nonce [SEC-50]', 'kb.nonce', { kb: { nonce: 'n-2' } }],
  ['5.6: no nonce [SEC-50]', 'kb.nonce', { kb: { nonce: undefined } }],
  ['5.6: another audience', 'kb.audience', { kb: { aud: 'x509_san_dns:other.example' } }],
  ['5.6: an audience without its prefix', 'kb.audience', { kb: { aud: 'verifier.example' } }],
  ['5.6: an audience list that contains us', 'kb.audience', { kb: { aud: [policy.aud] } }],
  ['5.6: another sd_hash', 'kb.sd_hash', { kb: { sd_hash: digestOf('other') } }],
  ['5.6: no sd_hash', 'kb.sd_hash', { kb: { sd_hash: undefined } }],
  ['5.4 rule 2: another issuer key', 'jwt.signature', { policy: { issuerKey: stranger.publicJwk } }],
  ['5.4 rule 1: an algorithm outside policy', 'jwt.algorithm', { policy: { algs: ['EdDSA'] } }],
  ['5.4 rule 1: crit', 'jwt.critical', { header: { crit: ['x'] } }],
  ['VC-1: typ JWT [SEC-21]', 'jwt.type', { header: { typ: 'JWT' } }],
  ['VC-1: typ kb+jwt [SEC-21]', 'jwt.type', { header: { typ: 'kb+jwt' } }],
  ['no vct [VC-2] [VC-3]', 'vct.missing', { payload: { vct: undefined } }],
  ['a vct that is an object [VC-3]', 'vct.missing', { payload: { vct: {} } }],
  ['5.4 rule 9: expired', 'validity.expired', { payload: { exp: noonSeconds - 60 } }],
  ['5.4 rule 9: not valid yet', 'validity.early', { payload: { nbf: noonSeconds + 61 } }],
  ['5.4 rule 9: issued in the future', 'validity.future', { payload: { iat: noonSeconds + 61 } }],
  ['5.4 rule 9: exp that is a string', 'claim.malformed', { payload: { exp: '4000000000' } }],
  ['5.4 rule 9: iss that is no string', 'claim.malformed', { payload: { iss: {} } }],
  [
    '5.4 rule 9: no exp where policy wants one',
    'claim.missing',
    { payload: { exp: undefined }, policy: { required: ['exp'] } },
  ],
  ['5.4 rule 9: an audience and we have no name', 'audience.other', { payload: { aud: 'x' } }],
  ['5.4 rule 9: another audience', 'audience.other', { payload: { aud: ['x', 'y'] }, policy: { audience: 'z' } }],
]

describe('a presentation is refused:', () => {
  for (const [what, code, spoil] of refusals) {
    test(what, async () => assert(codesOf(await aPresentation(spoil), spoil.policy).includes(code)))
  }

  test('5.6: alg none and HS256 [SEC-20]', async () => {
    for (const alg of ['none', 'HS256'])
      assert(codesOf(await withKbHeader({ typ: 'kb+jwt', alg })).includes('kb.algorithm'))
  })

  test('5.6: an algorithm that does not fit the key [SEC-20]', async () => {
    assert(codesOf(await withKbHeader({ typ: 'kb+jwt', alg: 'EdDSA' })).includes('kb.key'))
  })

  test('5.4 rule 1: alg none, whatever the payload says [SEC-20]', async () => {
    const [, payload] = (await aPresentation({ kb: null })).split('.')
    const text = `${toBase64url('{"typ":"dc+sd-jwt","alg":"none"}')}.${payload}.~`
    assert(codesOf(text, { keyBinding: 'optional' }).includes('jwt.algorithm'))
  })

  test('5.6: garbage as key binding', async () => {
    assert.deepEqual(codesOf(`${await aPresentation({ kb: null })}a.b`), ['kb.malformed'])
  })

  test('5.6: a key binding that is not needed and broken', async () => {
    assert.deepEqual(codesOf(await aPresentation({ by: stranger }), { keyBinding: 'optional' }), ['kb.signature'])
  })

  test('5.6: a disclosure taken out or put in another order after signing', async () => {
    const text = await aPresentation({})
    const [one = '', two = ''] = disclosures
    assert.deepEqual(codesOf(text.replace(`${one}~`, '')), ['kb.sd_hash'])
    assert.deepEqual(codesOf(text.replace(`${one}~${two}`, `${two}~${one}`)), ['kb.sd_hash'])
  })
})

describe('a presentation is accepted:', async () => {
  const [one = '', two = ''] = disclosures
  const accepted: readonly (readonly [what: string, text: string, change: Partial<PresentationPolicy>])[] = [
    ['without a key binding that is not needed', await aPresentation({ kb: null }), { keyBinding: 'optional' }],
    ['with the older type in the header [VC-1]', await aPresentation({ header: { typ: 'vc+sd-jwt' } }), {}],
    ['expired within the skew [SEC-80]', await aPresentation({ payload: { exp: noonSeconds - 59 } }), {}],
    ['for an audience list that names us', await aPresentation({ payload: { aud: ['x', 'us'] } }), { audience: 'us' }],
  ]
  for (const [what, text, change] of accepted) test(what, () => assert.deepEqual(codesOf(text, change), []))

  test('with disclosures in another order, hashed in that order', async () => {
    const presented = await forgedCompact(goodPayload(withDigests), [two, one])
    const bound = { iat: noonSeconds, nonce: policy.nonce, aud: policy.aud, sd_hash: digestOf(presented) }
    assert.deepEqual(codesOf(presented + (await signCompact({ typ: 'kb+jwt' }, bound, holderKey))), [])
  })
})

describe('a holder refuses what an issuer sends [SD-20]:', async () => {
  const agreed: RequestedSdJwtVc = {
    issuerKey: issuerKey.publicJwk,
    now: noon,
    holderKey: holderKey.publicJwk,
    vct: 'https://issuer.example/vct/card',
  }
  for (const [what, codes, text, change] of [
    ['nothing, if all is as agreed', [], await aPresentation({ kb: null }), {}],
    ['a key binding', ['kb.unexpected'], await aPresentation({}), {}],
    [
      'another type than ordered',
      ['vct.unexpected'],
      await aPresentation({ kb: null }),
      { vct: 'https://other.example' },
    ],
    [
      'another key than was sent [W-R3]',
      ['cnf.unexpected'],
      await aPresentation({ kb: null }),
      { holderKey: stranger.publicJwk },
    ],
    [
      'no key although one was sent',
      ['cnf.unexpected'],
      await aPresentation({ kb: null, payload: { cnf: undefined } }),
      {},
    ],
    ['a key although none was sent', ['cnf.unexpected'], await aPresentation({ kb: null }), { holderKey: null }],
    [
      'nothing, if no key was sent and none came',
      [],
      await aPresentation({ kb: null, payload: { cnf: undefined } }),
      { holderKey: null },
    ],
  ] as const) {
    test(what, () => {
      const { findings } = checkReceivedSdJwtVc(parseSdJwt(text), { ...agreed, ...change })
      assert.deepEqual(
        findings.map(({ code }) => code),
        codes,
      )
    })
  }
})

for (const alg of ['md5', 'sha-1', 5]) {
  test(`a credential whose disclosures are hashed with ${alg} is refused for that alone (RFC 9901 7.1, 2.c)`, async () => {
    assert.deepEqual(codesOf(await aPresentation({ payload: { _sd_alg: alg } })), ['sd_alg.unsupported'])
    const sdJwt = parseSdJwt(await forgedCompact(goodPayload({ ...withDigests, _sd_alg: alg }), disclosures))
    const agreed = { issuerKey: issuerKey.publicJwk, now: noon, holderKey: holderKey.publicJwk, vct: 'v' }
    const [finding, ...others] = checkReceivedSdJwtVc(sdJwt, agreed).findings
    assert.deepEqual([finding?.code, others], ['sd_alg.unsupported', []])
    assert.match(finding?.message ?? '', /SHA-256, SHA-384 or SHA-512/)
  })
}
