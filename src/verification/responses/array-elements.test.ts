import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aPresentation, aRequest, claims } from '../test-support/presentation-request.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

const nationalities = ['ZA', 'DE', 'FR']
const degrees = [
  { name: 'BA', year: 2001 },
  { name: 'MA', year: 2004 },
]
const all = { ...claims, nationalities, degrees, plain: [], deep: [['a', 'b'], ['c']] }
const frame = { _sd: Object.keys(all), nationalities: { _sd: [0, 1, 2] } }

async function answered(attributes: object, shown: readonly string[]) {
  const request = await aRequest(verifier, { credential: { attributes } })
  await request.answer({ c0: [await aPresentation(request, { claims: all, about: { frame }, names: shown })] })
  const { credentials: queries } = request.object.dcql_query as { credentials: { claims: { path: unknown }[] }[] }
  const { status, credentials } = await request.result()
  const paths = queries[0]?.claims.map(({ path }) => path)
  return { status, paths, attributes: credentials[0].attributes, issues: credentials[0].issues }
}

for (const [what, asked, shown, paths, expected] of [
  [
    'every element',
    { nationalities: { items: {} } },
    ['nationalities', 'DE', 'FR'],
    [['nationalities', null]],
    { nationalities: ['DE', 'FR'] },
  ],
  [
    'an element by its index as issued',
    { nationalities: { type: 'array', items: [null, { value: 'DE' }] } },
    ['nationalities', 'DE'],
    [['nationalities', 1]],
    { nationalities: ['DE'] },
  ],
  [
    'members of every element',
    { degrees: { items: { properties: { name: {}, year: { minimum: 2000 } } } } },
    ['degrees'],
    [
      ['degrees', null, 'name'],
      ['degrees', null, 'year'],
    ],
    { degrees },
  ],
  [
    'one member of one element',
    { degrees: { items: [null, { properties: { name: {} } }] } },
    ['degrees'],
    [['degrees', 1, 'name']],
    { degrees: [{ name: 'MA' }] },
  ],
  ['arrays in arrays', { deep: { items: { items: {} } } }, ['deep'], [['deep', null, null]], { deep: all.deep }],
] as const) {
  test(`a template requests ${what} of an array, and the result has these only`, async () => {
    const result = await answered(asked, shown)
    assert.deepEqual(result.paths, paths)
    assert.deepEqual([result.status, result.attributes], ['verified', expected], JSON.stringify(result.issues))
  })
}

for (const [what, asked, shown, code] of [
  ['no element disclosed', { nationalities: { items: {} } }, ['nationalities'], 'presentation.claims'],
  [
    'another element than the requested',
    { nationalities: { items: [{}] } },
    ['nationalities', 'DE'],
    'presentation.claims',
  ],
  ['an array without elements', { plain: { items: {} } }, ['plain'], 'presentation.claims'],
  ['no array', { given_name: { items: {} } }, ['given_name'], 'presentation.claims'],
  [
    'an element that breaks the condition',
    { nationalities: { items: { value: 'DE' } } },
    ['nationalities', 'DE', 'FR'],
    'value.different',
  ],
  [
    'a member out of range',
    { degrees: { items: { properties: { year: { minimum: 2002 } } } } },
    ['degrees'],
    'value.below_minimum',
  ],
] as const) {
  test(`a response with ${what} is not verified`, async () => {
    const { status, issues } = await answered(asked, shown)
    assert.equal(status, 'failed')
    assert.deepEqual(
      issues.map((one: { code: string }) => one.code),
      [code],
    )
  })
}

for (const shown of [['nationalities'], ['nationalities', 'DE']]) {
  test(`a whole array of which ${shown.length - 1} elements were disclosed has a warning`, async () => {
    const { status, issues } = await answered({ nationalities: {} }, shown)
    assert.equal(status, 'verified')
    assert.deepEqual(
      issues.map((one: { code: string }) => one.code),
      ['presentation.elements'],
    )
  })
}
