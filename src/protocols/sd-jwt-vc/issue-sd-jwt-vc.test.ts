import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { holderKey, issuerKey, noon } from '../../../test/support/sd-jwt.ts'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { checkReceivedSdJwtVc } from './check-sd-jwt-vc.ts'
import type { ClaimPath } from './claim-path.ts'
import { type CredentialDraft, type DisclosurePlan, issueSdJwtVc } from './issue-sd-jwt-vc.ts'
import { presentSdJwt } from './present-sd-jwt.ts'
import { processSdJwt } from './process-sd-jwt.ts'
import { isControlClaim } from './reserved-names.ts'
import { parseSdJwt, type SdJwt } from './sd-jwt.ts'
import { verifyPresentation } from './verify-presentation.ts'

const vct = 'https://issuer.example/vct/card'
const agreed = { issuerKey: issuerKey.publicJwk, now: noon, holderKey: holderKey.publicJwk, vct }

async function issued(
  claims: JsonObject,
  disclosure: DisclosurePlan = {},
  more: Partial<CredentialDraft> = {},
): Promise<SdJwt> {
  const draft = { claims, disclosure, vct, iat: noon, cnfJwk: holderKey.publicJwk, header: {}, ...more }
  return parseSdJwt(await issueSdJwtVc(draft, issuerKey))
}

/** What a credential says about its subject. */
function saying(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !isControlClaim(name)))
}

function inTheClear({ jwt }: SdJwt): JsonObject {
  return saying(jwt.payload)
}

describe('an issued credential', () => {
  test('carries the type, the key names and the registered claims in the clear, hashed as strongly as signed [VC-1] [VC-2] [VC-5] [SD-16]', async () => {
    const status = { status_list: { idx: 7, uri: 'https://issuer.example/status/1' } }
    const exp = new Date(noon.getTime() + 1999)
    const { jwt } = await issued(
      { a: 1 },
      {},
      { iss: 'did:web:issuer.example', exp, nbf: noon, status, header: { kid: 'k', x5c: ['AA=='] } },
    )
    const seconds = noon.getTime() / 1000
    assert.deepEqual(jwt.header, { typ: 'dc+sd-jwt', kid: 'k', x5c: ['AA=='], alg: 'ES256' })
    const { _sd, ...clear } = jwt.payload
    assert.deepEqual(clear, {
      iss: 'did:web:issuer.example',
      iat: seconds,
      nbf: seconds,
      exp: seconds + 1,
      vct,
      cnf: { jwk: holderKey.publicJwk },
      status,
      _sd_alg: 'sha-256',
    })
  })

  test('has a salt of 128 bits for each disclosure, and never the same twice, nor across a batch [SD-10]', async () => {
    const claims = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`claim ${at}`, at]))
    const texts = [await issued(claims), await issued(claims)].flatMap(({ disclosures }) => disclosures)
    const salts = texts.map((one) => JSON.parse(Buffer.from(one, 'base64url').toString())[0] as string)
    assert.equal(new Set(salts).size, 80)
    assert(salts.every((salt) => Buffer.from(salt, 'base64url').length === 16))
  })

  test('discloses a member by salt, name and value, and an element by salt and value [SD-11]', async () => {
    const { disclosures } = await issued({ name: 'A', tags: ['x'] }, { tags: { items: {} } })
    const contents = disclosures.map((one) => JSON.parse(Buffer.from(one, 'base64url').toString()).slice(1))
    assert.equal(contents.length, 3)
    assert.deepEqual(
      contents.find(([first]) => first === 'name'),
      ['name', 'A'],
    )
    assert.ok(contents.some((one) => one.length === 1 && one[0] === 'x'))
  })

  test('lists its digests in an order that tells nothing [SD-12]', async () => {
    const digests = (await issued({ a: 1, b: 2, c: 3, d: 4 })).jwt.payload._sd as string[]
    assert.deepEqual(digests, [...digests].sort())
  })

  test('has no _sd when nothing can be kept back [SD-14]', async () => {
    const { jwt, disclosures } = await issued({ a: { b: [1] } }, { a: { alwaysDisclosed: true } })
    assert.deepEqual([Object.hasOwn(jwt.payload, '_sd'), disclosures], [false, []])
  })
})

test('a credential says exactly its claims, whatever they and the plan are, and satisfies its holder', async () => {
  const name = fc
    .string()
    .filter((text) => !['_sd', '...', '_sd_alg', '__proto__', 'sub', 'aud'].includes(text) && !isControlClaim(text))
  const { claim } = fc.letrec<{ claim: Json }>((tie) => ({
    claim: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('claim'), { maxLength: 3 }),
      fc.dictionary(name, tie('claim'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  const { rule } = fc.letrec<{ rule: DisclosurePlan[string] }>((tie) => ({
    rule: fc.record(
      {
        alwaysDisclosed: fc.boolean(),
        properties: fc.oneof(
          { maxDepth: 2 },
          fc.constant({}),
          fc.dictionary(name, tie('rule'), { noNullPrototype: true }),
        ),
        items: fc.oneof({ maxDepth: 2 }, fc.constant({}), tie('rule')),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  }))
  const claims = fc.dictionary(name, fc.tuple(claim, rule), { maxKeys: 6, noNullPrototype: true })
  await fc.assert(
    fc.asyncProperty(claims, async (ruled) => {
      const said = Object.fromEntries(Object.entries(ruled).map(([key, [value]]) => [key, value]))
      const plan = Object.fromEntries(Object.entries(ruled).map(([key, [, one]]) => [key, one]))
      const { payload, findings } = checkReceivedSdJwtVc(await issued(said, plan), agreed)
      assert.deepEqual(findings, [])
      assert.deepEqual(saying(payload), JSON.parse(JSON.stringify(said)))
    }),
    { numRuns: 300 },
  )
})

describe('the plan decides:', () => {
  const claims = { person: { name: 'A', age: 30 }, tags: ['x', 'y'], over18: true }
  const rows: readonly (readonly [what: string, plan: DisclosurePlan, clear: object, disclosures: number])[] = [
    ['without rules, each attribute is one disclosure', {}, {}, 3],
    ['alwaysDisclosed stands in the clear', { over18: { alwaysDisclosed: true } }, { over18: true }, 2],
    ['members and elements are disclosures inside theirs', { person: { properties: {} }, tags: { items: {} } }, {}, 7],
    [
      'a member in the clear is so inside its disclosure only',
      { person: { properties: { name: { alwaysDisclosed: true } } } },
      {},
      4,
    ],
    [
      'elements of a plain type are in the clear inside their array',
      { tags: { type: 'array', items: { type: 'string' } } },
      {},
      3,
    ],
    [
      'elements of a plain type are disclosures if the plan says so',
      { tags: { type: 'array', items: { type: 'string', alwaysDisclosed: false } } },
      {},
      5,
    ],
    [
      'elements that are arrays or objects are disclosures',
      { tags: { type: 'array', items: { type: 'object' } } },
      {},
      5,
    ],
    [
      'what is always disclosed is so with all its members',
      { person: { alwaysDisclosed: true, properties: { name: {} } }, tags: { alwaysDisclosed: true, items: {} } },
      { person: { name: 'A', age: 30 }, tags: ['x', 'y'] },
      1,
    ],
  ]
  for (const [what, plan, clear, disclosures] of rows) {
    test(what, async () => {
      const sdJwt = await issued(claims, plan)
      assert.deepEqual([inTheClear(sdJwt), sdJwt.disclosures.length], [clear, disclosures])
    })
  }

  test('a member may be kept back inside an object that is always there', async () => {
    const plan = { person: { alwaysDisclosed: true, properties: { age: { alwaysDisclosed: false } } } }
    const sdJwt = await issued(claims, plan)
    assert.deepEqual(processSdJwt({ jwt: sdJwt.jwt, disclosures: [] }).payload.person, { name: 'A' })
  })
})

describe('a claim is refused [SD-13]:', () => {
  const top = ['iss', 'nbf', 'exp', 'iat', 'sub', 'aud', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status']
  for (const name of [...top, '_sd', '...', '_sd_alg', '__proto__']) {
    test(name, () =>
      assert.rejects(() => issued(JSON.parse(`{${JSON.stringify(name)}:1}`)), { code: 'sd_jwt.unissuable' }),
    )
  }
  for (const name of ['_sd', '...', '_sd_alg', '__proto__']) {
    test(`${name} inside another one`, async () => {
      const value = JSON.parse(`[{${JSON.stringify(name)}:1}]`)
      for (const plan of [{}, { a: { items: {} } }, { a: { alwaysDisclosed: true } }]) {
        await assert.rejects(() => issued({ a: value }, plan), { code: 'sd_jwt.unissuable' })
      }
    })
  }
  test('none of the registered ones inside another one', async () =>
    assert.equal((await issued({ a: { exp: 1, sub: 2 } })).disclosures.length, 1))
  test('one that is nested deeper than verifiers accept', async () => {
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000))
    await assert.rejects(() => issued({ a: deep }), { code: 'sd_jwt.unissuable' })
  })
})

describe('a presentation discloses [SD-21] [DCQL-6]:', async () => {
  const sdJwt = await issued(
    { person: { name: 'A', home: { town: 'T', street: 'S' } }, tags: ['x', 'y', 'z'], other: 1 },
    { person: { properties: { home: { properties: {} } } }, tags: { items: {} } },
  )
  const binding = { nonce: 'n', aud: 'verifier', iat: noon, key: holderKey }
  const rows: readonly (readonly [what: string, paths: readonly ClaimPath[], says: object])[] = [
    ['nothing for no path', [], {}],
    ['a member with its parents as structure', [['person', 'home', 'town']], { person: { home: { town: 'T' } } }],
    ['a value with all that is in it', [['person', 'home']], { person: { home: { town: 'T', street: 'S' } } }],
    ['one element', [['tags', 1]], { tags: ['y'] }],
    ['all elements for null', [['tags', null]], { tags: ['x', 'y', 'z'] }],
    [
      'each claim once though two paths name it',
      [['other'], ['other'], ['tags', 0], ['tags', 0]],
      { other: 1, tags: ['x'] },
    ],
  ]
  for (const [what, paths, says] of rows) {
    test(what, async () => {
      const presented = parseSdJwt(await presentSdJwt(sdJwt, paths, binding))
      const policy = { ...agreed, keyBinding: 'required', nonce: 'n', aud: 'verifier' } as const
      const { claims, findings } = verifyPresentation(presented, policy)
      assert.deepEqual([saying(claims), findings], [says, []])
    })
  }

  for (const [what, path] of [
    ['a claim that is not there', ['nothing']],
    ['an element that is not there', ['tags', 3]],
    ['an index into an object', ['person', 0]],
    ['a name in an array', ['tags', 'x']],
    ['an inherited member', ['constructor']],
    ['a negative index', ['tags', -1]],
  ] as const) {
    test(`not ${what}`, () => assert.rejects(() => presentSdJwt(sdJwt, [path], null), { code: 'sd_jwt.unpresentable' }))
  }

  test('without a key binding it ends with a tilde and is a credential again', async () => {
    const text = await presentSdJwt(sdJwt, [['other']], null)
    assert(text.endsWith('~'))
    assert.deepEqual(saying(checkReceivedSdJwtVc(parseSdJwt(text), agreed).payload), { other: 1 })
  })
})
