import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { membership } from '../test-support/holder.ts'
import { aPresentation, aRequest, attributes, claims, issuer } from '../test-support/presentation-request.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

const card = { type: membership, attributes, issuers: [issuer.did] }

const more = { level_text: '7', seen: '2019-05-01T10:00:00Z', never: '2019-02-30', clubs: ['Zoë'], nothing: null }
const odd = { ...claims, ...more }

for (const [what, attribute, disclosed, code] of [
  ['another value', { given_name: { type: 'string', value: 'Ann' } }, ['given_name'], 'value.different'],
  ['a value of another type', { given_name: { type: 'number' } }, ['given_name'], 'value.type'],
  ['a number below the minimum', { level: { type: 'number', minimum: 8 } }, ['level'], 'value.below_minimum'],
  ['a number above the maximum', { level: { type: 'number', maximum: 6 } }, ['level'], 'value.above_maximum'],
  ['a date after the maximum', { since: { type: 'date', maximum: '2019-04-30' } }, ['since'], 'value.above_maximum'],
  ['no date', { given_name: { type: 'date' } }, ['given_name'], 'value.type'],
  ['a number where a string is required', { level: { type: 'string' } }, ['level'], 'value.type'],
  ['a string with the digits of the required number', { level_text: { value: 7 } }, ['level_text'], 'value.different'],
  [
    'a string with the digits of a number in range',
    { level_text: { minimum: 1, maximum: 9 } },
    ['level_text'],
    'value.type',
  ],
  ['a date against a bound that is a number', { since: { minimum: 1 } }, ['since'], 'value.type'],
  ['a date-time where a date is required', { seen: { type: 'date', minimum: '2000-01-01' } }, ['seen'], 'value.type'],
  ['a date that does not exist', { never: { minimum: '2000-01-01' } }, ['never'], 'value.type'],
  ['an array where a string is required', { clubs: { type: 'string' } }, ['clubs'], 'value.type'],
  ['null where a string is required', { nothing: { type: 'string' } }, ['nothing'], 'value.type'],
  [
    'all conditions satisfied',
    { since: { type: 'date', minimum: '2019-05-01', maximum: '2019-05-01' }, level: { value: 7 } },
    ['since', 'level'],
    null,
  ],
] as const) {
  test(`conditions are checked after disclosure: ${what}`, async () => {
    const request = await aRequest(verifier, { credential: { attributes: attribute } })
    // 15.4.1: the query does not have the expected values
    assert.equal(JSON.stringify(request.object.dcql_query).includes('"values"'), false)
    await request.answer({ c0: [await aPresentation(request, { names: disclosed, claims: odd })] })
    const { status, credentials } = await request.result()
    assert.equal(status, code === null ? 'verified' : 'failed')
    assert.deepEqual(
      credentials[0].issues.map((one: { code: string }) => one.code),
      code === null ? [] : [code],
    )
    assert.equal(Object.keys(credentials[0].attributes).length, code === null ? disclosed.length : 0)
  })
}

for (const [what, change, code] of [
  ['an unknown query id [VP-S1]', (good: string) => ({ c0: [good], extra: [good] }), 'presentation.unknown_query'],
  ['two presentations for one query [VP-S1]', (good: string) => ({ c0: [good, good] }), 'presentation.too_many'],
  ['only an unknown query id', (good: string) => ({ other: [good] }), 'presentation.missing'],
  ['something that is no SD-JWT', () => ({ c0: ['o2d2ZXJzaW9u'] }), 'presentation.malformed'],
] as const) {
  test(`a response with ${what} fails as a whole`, async () => {
    const request = await aRequest(verifier)
    assert.equal((await request.answer(change(await aPresentation(request)))).status, 200)
    const { status, error, credentials } = await request.result()
    assert.equal(status, 'failed')
    assert(
      error.details.some((one: { code: string }) => one.code === code),
      JSON.stringify(error),
    )
    for (const one of credentials) assert.deepEqual(one.attributes, {})
  })
}

test('if one of two required credentials is missing, nothing is verified [DCQL-7]', async () => {
  const second = { type: 'https://types.example/second', attributes: {} }
  const request = await aRequest(verifier, { template: { credentials: [card, second] } })
  await request.answer({ c0: [await aPresentation(request)] })
  const { status, credentials } = await request.result()
  assert.equal(status, 'failed')
  assert.deepEqual(
    credentials.map((one: { isValid: boolean }) => one.isValid),
    [true, false],
  )
  assert.deepEqual(
    credentials[1].issues.map((one: { code: string }) => one.code),
    ['presentation.missing'],
  )
  assert.deepEqual(credentials[0].attributes, {})
})

test('an invalid optional credential is discarded; with the wrong nonce it invalidates the response (14.1.2)', async () => {
  const template = {
    credentials: [
      { ...card, name: 'card' },
      { ...card, name: 'extra' },
    ],
    verifierConfig: { credentialSets: [{ options: [['card']] }, { options: [[1]], required: false }] },
  }
  const broken = await aRequest(verifier, { template })
  const good = await aPresentation(broken)
  await broken.answer({ c0: [good], c1: [await aPresentation(broken, { binding: { aud: 'x' } })] })
  const first = await broken.result()
  assert.deepEqual(
    [first.status, first.credentials.map((one: { isValid: boolean }) => one.isValid)],
    ['verified', [true, false]],
  )
  const replayed = await aRequest(verifier, { template })
  await replayed.answer({ c0: [await aPresentation(replayed)], c1: [good] })
  const second = await replayed.result()
  assert.equal(second.status, 'failed')
  assert.deepEqual(second.credentials[0].attributes, {})
})
