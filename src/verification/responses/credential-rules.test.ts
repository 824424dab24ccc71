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

const card = { type: membership, name: 'card', attributes, issuers: [issuer.did] }
type Result = { readonly isValid: boolean; readonly attributes: object; readonly issues: { code: string }[] }

const codesOf = ({ credentials }: { credentials: Result[] }) =>
  credentials.map(({ issues }) => issues.map(({ code }) => code))

test('the rules of a template are members of its query, and are returned with the template', async () => {
  const trustedAuthorities = [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }]
  const rules = { multiple: true, requireCryptographicHolderBinding: false, trustedAuthorities }
  const named = { given_name: { values: ['Zoë', 7, true] } }
  const second = { ...card, name: 'second', attributes: named, ...rules, optional: true }
  const { object, ask } = await aRequest(verifier, { template: { credentials: [card, second] } })
  assert.partialDeepStrictEqual(object.dcql_query, {
    credentials: [
      {},
      {
        multiple: true,
        require_cryptographic_holder_binding: false,
        trusted_authorities: trustedAuthorities,
        claims: [{ path: ['given_name'], values: ['Zoë', 7, true] }],
      },
    ],
    credential_sets: [{ options: [['c0']] }, { options: [['c1']], required: false }],
  })
  const { body } = await ask('GET', '/templates/presentations')
  const one = await ask('GET', `/templates/presentations/${body.data[0].id}`)
  assert.partialDeepStrictEqual(one.body.meta.credentials[1], { ...rules, optional: true })
})

test('an optional credential may be left out, and a template may not have optional ones only', async () => {
  const request = await aRequest(verifier, {
    template: { credentials: [card, { ...card, name: 'x', optional: true }] },
  })
  await request.answer({ c0: [await aPresentation(request)] })
  const { status, credentials } = await request.result()
  assert.deepEqual([status, credentials.length], ['verified', 1])
  const body = { name: 'n', description: '', credentials: [{ ...card, optional: true }] }
  const refused = await request.ask('POST', '/templates/presentations', body)
  assert.equal(refused.body.errors[0].source.pointer, '/credentials')
})

test('several presentations for a query with multiple are results of their own, and one credential counts once', async () => {
  const request = await aRequest(verifier, { credential: { multiple: true } })
  const other = await aPresentation(request, { claims: { ...claims, given_name: 'Ann' } })
  const good = await aPresentation(request)
  const forged = await aPresentation(request, { binding: { sdHash: 'x' } })
  await request.answer({ c0: [forged, good, other, good] })
  const result = await request.result()
  assert.equal(result.status, 'verified')
  assert.deepEqual(codesOf(result), [['kb.sd_hash'], [], [], ['presentation.duplicate']])
  assert.deepEqual(
    result.credentials.map((one: Result) => Object.values(one.attributes)[0]),
    [undefined, 'Zoë', 'Ann', undefined],
  )
})

test('more than 16 presentations for a query with multiple are not checked', async () => {
  const request = await aRequest(verifier, { credential: { multiple: true } })
  await request.answer({ c0: Array(17).fill(await aPresentation(request)) })
  assert.deepEqual(codesOf(await request.result()), [['presentation.too_many']])
})

for (const [what, credential, tampering, codes] of [
  ['no key binding where the template waives it', { requireCryptographicHolderBinding: false }, { binding: null }, []],
  [
    'a broken key binding where the template waives it',
    { requireCryptographicHolderBinding: false },
    { binding: { sdHash: 'x' } },
    ['kb.sd_hash'],
  ],
  ['one of the requested values', { attributes: { given_name: { values: ['Ann', 'Zoë'] } } }, {}, []],
  ['none of the requested values', { attributes: { given_name: { values: ['Ann'] } } }, {}, ['presentation.claims']],
  [
    'no certificate of the requested authority',
    { trustedAuthorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }] },
    {},
    ['presentation.trusted_authority'],
  ],
] as const) {
  test(`a presentation with ${what} is ${codes.length === 0 ? '' : 'not '}verified`, async () => {
    const request = await aRequest(verifier, { credential })
    await request.answer({ c0: [await aPresentation(request, tampering)] })
    const result = await request.result()
    assert.deepEqual([result.status, codesOf(result)], [codes.length === 0 ? 'verified' : 'failed', [codes]])
  })
}

test('a response in which no presentation is valid is not verified, even if all sets are optional', async () => {
  const verifierConfig = { credentialSets: [{ options: [['card']], required: false }] }
  const request = await aRequest(verifier, { template: { verifierConfig } })
  await request.answer({ c0: [await aPresentation(request, { binding: { sdHash: 'x' } })] })
  assert.equal((await request.result()).status, 'failed')
})
