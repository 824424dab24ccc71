import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { parseQuery } from './parse-query.ts'

const published = new URL('../../../test/vectors/data/dcql/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, published), 'utf8'))

const specQueries = [
  'simple',
  'simple_mdoc',
  'multi_credentials',
  'credentials_alternatives',
  'complex_mdoc',
  'claims_alternatives',
  'value_matching_simple',
]

for (const name of specQueries) {
  test(`the query ${name} of the spec is accepted with all its ids`, () => {
    const json = read(`${name}.json`)
    const ids = parseQuery(json).credentials.map((one) => one.id)
    assert.deepEqual(
      ids,
      json.credentials.map((one: { id: string }) => one.id),
    )
  })
}

for (const { name, query } of read('structure-negative.json').queries) {
  test(`a query is refused: ${name}`, () => assert.throws(() => parseQuery(query), { code: 'dcql.invalid' }))
}

const credential = (more: object = {}) => ({ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, ...more })
const query = (more: object = {}) => ({ credentials: [credential(more)] })
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))

for (const [what, value] of [
  ['no object', [] as unknown],
  ['33 credential queries [DCQL-9]', { credentials: many(33, (i) => credential({ id: `c${i}` })) }],
  ['129 claims [DCQL-9]', query({ claims: many(129, (i) => ({ path: [`c${i}`] })) })],
  ['65 claim sets [DCQL-9]', query({ claims: [{ id: 'x', path: ['x'] }], claim_sets: many(65, () => ['x']) })],
  ['65 values [DCQL-9]', query({ claims: [{ path: ['x'], values: many(65, (i) => i) }] })],
  ['a path of 17 steps [DCQL-9]', query({ claims: [{ path: many(17, () => 'x') }] })],
  ['a string of 1025 characters [DCQL-9]', query({ claims: [{ path: ['x'.repeat(1025)] }] })],
  ['a value that is no integer (6.3)', query({ claims: [{ path: ['x'], values: [1.5] }] })],
  ['a null value (6.3)', query({ claims: [{ path: ['x'], values: [null] }] })],
  ['a fraction as index (7.1)', query({ claims: [{ path: ['x', 0.5] }] })],
  ['multiple that is no boolean', query({ multiple: 'yes' })],
  ['a holder binding that is no boolean', query({ require_cryptographic_holder_binding: null })],
  ['an empty option in a credential set (6.2)', { ...query(), credential_sets: [{ options: [[]] }] }],
  [
    'a mdoc pointer with null (7.2)',
    { credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'd' }, claims: [{ path: ['n', null] }] }] },
  ],
  [
    'type_values that are no arrays (B.1.1)',
    { credentials: [{ id: 'a', format: 'jwt_vc_json', meta: { type_values: ['x'] } }] },
  ],
] as const) {
  test(`a query is refused: ${what}`, () => assert.throws(() => parseQuery(value), { code: 'dcql.invalid' }))
}

test('a refusal points at the member that is wrong', () => {
  const seen = (() => {
    try {
      return parseQuery(query({ claims: [{ path: ['x', -1] }] }))
    } catch (error) {
      return error
    }
  })()
  assert(seen instanceof Fault)
  assert.equal(seen.violations?.[0]?.pointer, '/credentials/0/claims/0/path/1')
})

test('unknown members are ignored and unknown formats kept (6)', () => {
  const parsed = parseQuery({ later: 1, credentials: [credential({ later: {}, format: 'new' })] })
  assert.deepEqual(Object.keys(parsed.credentials[0] ?? {}).includes('later'), false)
  assert.equal(parsed.credentials[0]?.types, null)
})

test('the defaults of the spec are filled in (6.1)', () => {
  assert.partialDeepStrictEqual(parseQuery(query()).credentials[0], {
    multiple: false,
    holderBinding: true,
    trustedAuthorities: null,
    options: [[]],
  })
})

test('whatever JSON comes, the answer is a query or a dcql.invalid', () => {
  const shaped = fc.record(
    {
      credentials: fc.array(
        fc.record(
          {
            id: fc.oneof(fc.string(), fc.constant('a')),
            format: fc.oneof(fc.constantFrom('dc+sd-jwt', 'mso_mdoc'), fc.string()),
            meta: fc.oneof(fc.constant({ vct_values: ['v'], doctype_value: 'd' }), fc.jsonValue()),
            claims: fc.oneof(fc.array(fc.record({ path: fc.array(fc.jsonValue()) })), fc.jsonValue()),
            claim_sets: fc.jsonValue(),
            trusted_authorities: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
      credential_sets: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(shaped, fc.jsonValue()), (value) => {
      try {
        parseQuery(value)
      } catch (error) {
        assert(error instanceof Fault && error.code === 'dcql.invalid')
      }
    }),
    { numRuns: 300 },
  )
})
