import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sha256 } from '../../crypto/digest.ts'
import { checkReceivedSdJwtVc } from '../../protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aToken,
  type Issuer,
  noon,
  redeem,
  request,
} from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const foreign = new SDJwtVcInstance({ hasher: (text) => sha256(Buffer.from(text as string)), hashAlg: 'sha-256' })

/** Issues, checks as our wallet does, and parses with a foreign library. */
async function issued(attributes: object, claims: object) {
  const { token, template } = await aToken(issuer, { attributes }, { attributes: claims })
  const key = aKey()
  const { status, body } = await request(issuer, token, template.code, [key])
  assert.equal(status, 200, JSON.stringify(body))
  const credential: string = body.credentials[0].credential
  const { jwt } = parseSdJwt(credential)
  const signer = await resolveIssuer({ ...issuer.platform, tenantId: issuer.tenant.id }, jwt, noon)
  const agreed = { issuerKey: signer.key, now: noon, holderKey: key.publicJwk, vct: template.type }
  const ours = checkReceivedSdJwtVc(parseSdJwt(credential), agreed)
  assert.deepEqual(ours.findings, [])
  return { ours: ours.payload, theirs: (await foreign.getClaims(credential)) as object, credential }
}

test('attributes with odd names, and values of every kind, arrive as they were given', async () => {
  const names = [
    'a.b',
    'a"b',
    "a'b",
    'a/b~c',
    'a b',
    'ключ',
    '名前',
    '😀',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$ref',
    '[]',
    '0',
    '-1',
  ]
  const claims = {
    ...Object.fromEntries(names.map((name) => [name, `value of ${name}`])),
    emoji: '👩‍👩‍👧',
    zero: 0,
    tiny: 5e-324,
    list: [],
  }
  const attributes = {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    emoji: { type: 'string', alwaysDisclosed: true },
    zero: { type: 'number' },
    tiny: { type: 'number' },
    list: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
  }
  const { ours, theirs } = await issued(attributes, claims)
  assert.partialDeepStrictEqual(ours, claims)
  assert.partialDeepStrictEqual(theirs, claims)
})

test('[SEC-41] the deepest template with the deepest free value in it can be issued and read', async () => {
  const deep = (levels: number, last: object): object =>
    levels === 0 ? last : { a: { type: 'object', properties: deep(levels - 1, last) } }
  const free = (levels: number): object => (levels === 1 ? { end: [1] } : { x: free(levels - 1) })
  const inside = (levels: number, last: object): object => (levels === 0 ? last : { a: inside(levels - 1, last) })
  const { ours, theirs } = await issued(deep(7, { a: { type: 'object' } }), inside(7, { a: free(14) }))
  assert.partialDeepStrictEqual(ours, inside(7, { a: free(14) }))
  assert.partialDeepStrictEqual(theirs, inside(7, { a: free(14) }))
})

test('[SEC-41] the largest attributes that are taken make a credential that is taken', async () => {
  const text = 'é'.repeat(130_000)
  const { ours } = await issued({ text: { type: 'string', alwaysDisclosed: true } }, { text })
  assert.equal(ours.text, text)
  const many = Array.from({ length: 990 }, (_, at) => at)
  assert.deepEqual((await issued({ many: { type: 'array', items: { type: 'number' } } }, { many })).ours.many, many)
})

const attributes = {
  n: { type: 'number' },
  d: { type: 'date' },
  o: { type: 'object' },
  s: { type: 'string' },
  a: { type: 'array', items: { type: 'array', items: { type: 'boolean' } } },
}
for (const [what, claims, pointers] of [
  ['more digits than are kept', '{"n":12345678901234567890}', ['/attributes/n']],
  ['NaN in words', '{"n":"NaN"}', ['/attributes/n']],
  ['no value', '{"n":null,"s":null}', ['/attributes/n', '/attributes/s']],
  ['a day that February has not', '{"d":"2026-02-30"}', ['/attributes/d']],
  ['a date with a time', '{"d":"2026-01-01T00:00:00Z"}', ['/attributes/d']],
  ['a date with a line break', '{"d":"2026-01-01\\n"}', ['/attributes/d']],
  ['a wrong element of a list in a list', '{"a":[[true],[false,1]]}', ['/attributes/a/1/1']],
  ['an array for an object', '{"o":[]}', ['/attributes/o']],
  ['a name that every object has', '{"constructor":"x"}', ['/attributes/constructor']],
  ['the digests of SD-JWT', '{"o":{"x":{"...":"y"},"_sd":[]}}', ['/attributes/o/x/...', '/attributes/o/_sd']],
  ['too much', JSON.stringify({ s: 'é'.repeat(132_000) }), ['/attributes']],
] as const) {
  test(`attributes with ${what} are refused, each at its place`, async () => {
    const { status, errors } = await issueWith(claims)
    assert.equal(status, 400)
    assert.deepEqual(
      errors.map((one: { source: { pointer: string } }) => one.source.pointer),
      pointers,
    )
  })
}

for (const claims of ['{"n":1e400}', '{"o":{"x":[1,-1e400]}}']) {
  test(`a body with ${claims} is refused as malformed: no double holds the number`, async () => {
    const { status, errors } = await issueWith(claims)
    assert.equal(status, 400)
    assert.match(errors[0].detail, /number/)
  })
}

/** The answer to an issuance whose attributes are this text. */
async function issueWith(claims: string) {
  const { template } = await anOffer(issuer, { attributes }, { attributes: {} })
  const answer = await issuer.server.dispatch({
    method: 'POST',
    path: '/creds/credentials/issuance',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${issuer.tenant.slug}` },
    body: `{"credentialTemplateId":"${template.id}","attributes":${claims}}`,
  })
  return { status: answer.status, errors: JSON.parse(answer.body.toString()).errors }
}

for (const [what, claims] of [
  ['__proto__', '{"s":"x","__proto__":{"n":1}}'],
  ['a member twice', '{"s":"x","s":"y"}'],
  ['nesting without end', `{"o":${'{"o":'.repeat(40)}1${'}'.repeat(40)}}`],
] as const) {
  test(`[SEC-23] [SEC-24] attributes with ${what} are no JSON for us`, async () => {
    const { template } = await anOffer(issuer, { attributes }, { attributes: {} })
    const answer = await issuer.server.dispatch({
      method: 'POST',
      path: '/creds/credentials/issuance',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${issuer.tenant.slug}` },
      body: `{"credentialTemplateId":"${template.id}","attributes":${claims}}`,
    })
    assert.equal(answer.status, 400)
    assert.equal(JSON.parse(answer.body.toString()).errors[0].code, 'MALFORMED_JSON')
  })
}

test('[VCI-O8] an offer says nothing about its holder', async () => {
  const { issuance, code } = await anOffer(issuer, { txCode: {} }, { reference: 'Thandi-7' })
  const uri = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const offer = JSON.stringify((await issuer.open(uri)).body)
  for (const secret of ['Thandi', 'Pretoria', issuance.txCode]) assert.ok(!offer.includes(secret), secret)
  assert.equal((await redeem(issuer, code, { tx_code: issuance.txCode })).status, 200)
})
