import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import {
  digestOf,
  disclosureOf,
  forged,
  forgedCompact,
  goodPayload,
  issuerKey,
  noon,
} from '../../../test/support/sd-jwt.ts'
import { toBase64url } from '../../crypto/base64url.ts'
import type { Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { checkSdJwtVc } from './check-sd-jwt-vc.ts'
import type { FindingCode } from './findings.ts'
import { processSdJwt } from './process-sd-jwt.ts'
import { parseSdJwt } from './sd-jwt.ts'

const name = disclosureOf(['salt', 'name', 'Thandi'])
const element = disclosureOf(['salt', 'DE'])
const nameDigest = digestOf(name)
const elementDigest = digestOf(element)

type Row = readonly [what: string, code: FindingCode, payload: object, disclosures: readonly string[]]

/** A row for one disclosure that is in its place, with this content. */
function holding(what: string, code: FindingCode, content: Json, more: object = {}): Row {
  const one = disclosureOf(content)
  return [what, code, { _sd: [digestOf(one)], ...more }, [one]]
}

/** A row for one raw text that is in its place. */
function raw(what: string, text: string | Buffer): Row {
  const one = toBase64url(text)
  return [what, 'disclosure.malformed', { _sd: [digestOf(one)] }, [one]]
}

/** A chain of disclosures, each inside the value of the one before. */
function nested(depth: number): { payload: object; disclosures: string[] } {
  let inner = disclosureOf(['s', 'n', 'core'])
  const disclosures = [inner]
  for (let level = 1; level < depth; level++) {
    inner = disclosureOf(['s', 'n', { _sd: [digestOf(inner)] }])
    disclosures.push(inner)
  }
  return { payload: { _sd: [digestOf(inner)] }, disclosures }
}

const twinA = disclosureOf(['salt a', 'name', 'A'])
const twinB = disclosureOf(['salt b', 'name', 'B'])
const parentOfName = disclosureOf(['salt', 'person', { _sd: [nameDigest] }])
const deep = nested(33)

const rows: readonly Row[] = [
  ['5.4 rule 3: _sd_alg md5', 'sd_alg.unsupported', { _sd_alg: 'md5', _sd: [nameDigest] }, [name]],
  ['5.4 rule 3: _sd_alg sha-1', 'sd_alg.unsupported', { _sd_alg: 'sha-1' }, []],
  ['5.4 rule 3: _sd_alg in the spelling of another registry', 'sd_alg.unsupported', { _sd_alg: 'sha256' }, []],
  ['5.4 rule 3: _sd_alg that is no string', 'sd_alg.unsupported', { _sd_alg: ['sha-256'] }, []],
  ['5.4 rule 3: _sd_alg null', 'sd_alg.unsupported', { _sd_alg: null }, []],
  ['5.4 rule 3: _sd_alg below the top level', 'sd_alg.nested', { a: { _sd_alg: 'sha-256' } }, []],
  ['5.4 rule 3: _sd_alg in an array element', 'sd_alg.nested', { a: [{ _sd_alg: 'sha-256' }] }, []],
  holding('5.4 rule 3: _sd_alg inside a disclosed value', 'sd_alg.nested', ['s', 'a', { _sd_alg: 'sha-256' }]),
  ['5.4 rule 4: _sd that is a string', 'digest.malformed', { _sd: nameDigest }, []],
  ['5.4 rule 4: _sd that is an object', 'digest.malformed', { _sd: {} }, []],
  ['5.4 rule 4: _sd with a number in it', 'digest.malformed', { _sd: [nameDigest, 1] }, []],
  ['5.4 rule 4: _sd null, below the top level', 'digest.malformed', { a: { _sd: null } }, []],
  ['5.4 rule 4: a placeholder with another member', 'digest.malformed', { a: [{ '...': elementDigest, b: 1 }] }, []],
  ['5.4 rule 4: a placeholder that is no string', 'digest.malformed', { a: [{ '...': 1 }] }, []],
  ['5.4 rule 4: a placeholder outside an array', 'digest.malformed', { a: { '...': elementDigest } }, []],
  holding('5.4 rule 4: a malformed _sd inside a disclosed value', 'digest.malformed', ['s', 'a', { _sd: 'x' }]),
  raw('5.4 rule 5: a disclosure that is no JSON', 'hello'),
  raw('5.4 rule 5: a disclosure that is not UTF-8', Buffer.from('5b2273222c226e222c22ff225d', 'hex')),
  raw('5.4 rule 5: a disclosure with a byte order mark', Buffer.from('\uFEFF["s","n",1]')),
  raw('5.4 rule 5: a disclosure with a name twice in its value [SEC-24]', '["s","n",{"a":1,"a":2}]'),
  raw('5.4 rule 5: a disclosure with __proto__ in its value [SEC-23]', '["s","n",{"__proto__":1}]'),
  holding('5.4 rule 5: a disclosure that is an object', 'disclosure.malformed', { salt: 's' }),
  holding('5.4 rule 5: a disclosure with one element', 'disclosure.malformed', ['s']),
  holding('5.4 rule 5: a disclosure with four elements', 'disclosure.malformed', ['s', 'n', 1, 2]),
  holding('5.4 rule 5: a salt that is no string', 'disclosure.malformed', [1, 'n', 1]),
  holding('5.4 rule 5: a name that is no string', 'disclosure.malformed', ['s', 1, 1]),
  holding('5.4 rule 5: two elements where a member stands', 'disclosure.misplaced', ['s', 'value']),
  [
    '5.4 rule 5: three elements where an array element stands',
    'disclosure.misplaced',
    { a: [{ '...': nameDigest }] },
    [name],
  ],
  holding('5.4 rule 6: the name _sd', 'disclosure.name', ['s', '_sd', ['x']]),
  holding('5.4 rule 6: the name ...', 'disclosure.name', ['s', '...', 'x']),
  holding('5.4 rule 6: the name _sd_alg', 'disclosure.name', ['s', '_sd_alg', 'md5']),
  holding('5.4 rule 6: the name __proto__ [SEC-23]', 'disclosure.name', ['s', '__proto__', { admin: true }]),
  ['5.4 rule 6: a name that stands in the clear', 'disclosure.collision', { name: 'X', _sd: [nameDigest] }, [name]],
  [
    '5.4 rule 6: a name in the clear whose value is null',
    'disclosure.collision',
    { name: null, _sd: [nameDigest] },
    [name],
  ],
  [
    '5.4 rule 6: two disclosures of one name',
    'disclosure.collision',
    { _sd: [digestOf(twinA), digestOf(twinB)] },
    [twinA, twinB],
  ],
  ['5.4 rule 7: a digest twice in one list', 'digest.duplicate', { _sd: [nameDigest, nameDigest] }, [name]],
  [
    '5.4 rule 7: a digest twice, at two levels',
    'digest.duplicate',
    { _sd: [nameDigest], a: { _sd: [nameDigest] } },
    [name],
  ],
  ['5.4 rule 7: a decoy twice', 'digest.duplicate', { _sd: ['decoy'], a: [{ '...': 'decoy' }] }, []],
  [
    '5.4 rule 7: a digest in the clear and in a disclosure',
    'digest.duplicate',
    { _sd: [nameDigest, digestOf(parentOfName)] },
    [name, parentOfName],
  ],
  ['5.4 rule 8: a disclosure that nothing refers to', 'disclosure.unreferenced', {}, [name]],
  [
    '5.4 rule 8: one that only a withheld disclosure refers to',
    'disclosure.unreferenced',
    { _sd: [digestOf(parentOfName)] },
    [name],
  ],
  ['5.4 rule 8: a disclosure twice', 'disclosure.duplicate', { _sd: [nameDigest] }, [name, name]],
  ...(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'] as const).map((claim) =>
    holding(`5.4 rule 9: ${claim} from a disclosure`, 'disclosure.control', ['s', claim, 4_000_000_000]),
  ),
  ['5.4 rule 9: a part of status from a disclosure', 'disclosure.control', { status: { _sd: [nameDigest] } }, [name]],
  [
    '5.4 rule 9: an element of aka_vcts from a disclosure',
    'disclosure.control',
    { aka_vcts: [{ '...': elementDigest }] },
    [element],
  ],
  ['5.4 rule 10: depth by disclosures inside disclosures [SEC-41]', 'structure.deep', deep.payload, deep.disclosures],
]

describe('disclosures are refused:', () => {
  for (const [what, code, payload, disclosures] of rows) {
    test(what, async () => {
      const { findings } = processSdJwt(await forged(payload, disclosures))
      assert(
        findings.some((one) => one.code === code),
        `found ${JSON.stringify(findings)}`,
      )
    })
  }

  test('and a claim of a spoilt credential is never judged', async () => {
    const spoilt = await forged(goodPayload({ exp: 1, _sd: [nameDigest, nameDigest] }), [name])
    const { findings } = checkSdJwtVc(spoilt, { issuerKey: issuerKey.publicJwk, now: noon })
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['digest.duplicate'],
    )
  })
})

describe('a text is no SD-JWT:', async () => {
  const good = await forgedCompact(goodPayload())
  for (const [what, text] of [
    ['[SD-1] no tilde', good.slice(0, -1)],
    ['[SD-1] the empty text', ''],
    ['[SD-2] an empty part in the middle', `${good}~`],
    ['[SD-2] whitespace', `${good}WyJzIiwx XQ~`],
    ['[SD-2] padding', `${good}WyJzIiwxXQ==~`],
    ['[SD-2] a second spelling of the same bytes [SEC-25]', `${good}WyJzIiwxXR~`],
    ['[SD-4] the JSON serialization', '{"payload":"e30","signature":"","protected":"e30"}~'],
    ['5.4 rule 1: garbage where the JWT should be', `a.b.c~${name}~`],
    ['5.4 rule 1: a name twice in the payload [SEC-24]', `e30.${toBase64url('{"a":1,"a":1}')}.AA~`],
    ['5.4 rule 10: more than 1000 disclosures [SEC-41]', good + `${name}~`.repeat(1001)],
    ['5.4 rule 10: its length [SEC-41]', `${good}${'A'.repeat(1024 * 1024)}~`],
  ] as const) {
    test(what, () => assert.throws(() => parseSdJwt(text), { code: 'sd_jwt.malformed' }))
  }
})

describe('what holds is put back:', () => {
  test('a name such as constructor is a claim like any other [SEC-23]', async () => {
    const one = disclosureOf(['s', 'constructor', 'x'])
    const { payload, findings } = processSdJwt(await forged({ _sd: [digestOf(one)] }, [one]))
    assert.deepEqual([payload, findings], [{ constructor: 'x' }, []])
  })

  test('iat and sub may come from disclosures [VC-2]', async () => {
    const both = [disclosureOf(['s', 'iat', 1]), disclosureOf(['s', 'sub', 'user_42'])]
    const { payload, findings } = processSdJwt(await forged({ _sd: both.map(digestOf) }, both))
    assert.deepEqual([payload, findings], [{ iat: 1, sub: 'user_42' }, []])
  })

  test('an object emptied by withheld members stays, a withheld element goes', async () => {
    const { payload } = processSdJwt(await forged({ a: { _sd: ['x'] }, b: [{ '...': 'y' }, 1] }))
    assert.deepEqual(payload, { a: {}, b: [1] })
  })

  test('an element keeps the position at which it was issued', async () => {
    const { arrays, disclosed } = processSdJwt(
      await forged({ a: [{ '...': 'x' }, 'FR', { '...': elementDigest }] }, [element]),
    )
    assert.deepEqual(arrays, [{ path: ['a'], issued: [1, 2] }])
    assert.deepEqual(
      disclosed.map(({ path }) => path),
      [['a', 1]],
    )
  })

  test('sha-384 and sha-512 are understood [SEC-22]', async () => {
    for (const alg of ['sha-384', 'sha-512'])
      assert.deepEqual(processSdJwt(await forged({ _sd_alg: alg })).findings, [])
  })
})

test('garbage gives Faults or findings, and never another error', async () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const disclosure = fc.oneof(
    json.map((one) => disclosureOf(one as Json)),
    fc.string(),
    fc.constant(name),
  )
  const keyword = fc.constantFrom('_sd', '...', '_sd_alg', 'cnf', 'exp', 'aud', 'vct', 'iss')
  const value = fc.oneof(json, fc.constant([nameDigest]), fc.constant([{ '...': nameDigest }]))
  const payload = fc.dictionary(fc.oneof(keyword, fc.string()), value)
  const text = fc.tuple(payload, fc.array(disclosure, { maxLength: 4 }), fc.constantFrom('', 'a.b.c', '~'))
  await fc.assert(
    fc.asyncProperty(text, async ([claims, disclosures, tail]) => {
      try {
        const sdJwt = parseSdJwt((await forgedCompact(claims, disclosures)) + tail)
        checkSdJwtVc(sdJwt, { issuerKey: issuerKey.publicJwk, now: noon })
      } catch (error) {
        assert(error instanceof Fault, String(error))
      }
    }),
    { numRuns: 1500 },
  )
})

test('an integer beyond 2^53 is shown as the text that the issuer wrote, never rounded', () => {
  const disclosure = toBase64url('["s","b",{"c":[-9007199254740993,9007199254740991]}]')
  const payload = toBase64url(`{"a":9007199254740993,"text":"9007199254740993","_sd":["${digestOf(disclosure)}"]}`)
  const sdJwt = parseSdJwt(`${toBase64url('{"alg":"ES256"}')}.${payload}.AAAA~${disclosure}~`)
  assert.deepEqual(processSdJwt(sdJwt).payload, {
    a: '9007199254740993',
    text: '9007199254740993',
    b: { c: ['-9007199254740993', 9007199254740991] },
  })
})
