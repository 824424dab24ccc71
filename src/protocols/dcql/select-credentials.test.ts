import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type DcqlSdJwtVcCredential, DcqlQuery as Oracle } from 'dcql'
import { fc } from '../../../test/support/fast-check.ts'
import type { DcqlCredential } from './match.ts'
import { parseQuery } from './parse-query.ts'
import { selectCredentials } from './select-credentials.ts'

const published = new URL('../../../test/vectors/data/dcql/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, published), 'utf8'))
const IDENTITY = 'https://credentials.example.com/identity_credential'

function aCredential(type: string, claims: object, more: Partial<DcqlCredential> = {}): DcqlCredential {
  return { format: 'dc+sd-jwt', type, claims, holderBound: true, ...more }
}

function select(query: unknown, ...candidates: DcqlCredential[]) {
  return selectCredentials(parseQuery(query), candidates)
}

const ask = (more: object = {}) => ({
  credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, ...more }],
})

test('all listed claims are chosen, nested ones too (6.4.1)', () => {
  const credential = aCredential(IDENTITY, {
    family_name: 'Dent',
    given_name: 'Arthur',
    address: { street_address: '42' },
  })
  const { satisfiable, queries } = select(read('simple.json'), credential)
  assert(satisfiable)
  assert.deepEqual(queries.get('my_credential')?.matches[0]?.paths, [
    ['family_name'],
    ['given_name'],
    ['address', 'street_address'],
  ])
})

test('the first claim set that can be satisfied is chosen [DCQL-3]', () => {
  const claims = { family_name: 'Dent', postal_code: '1', date_of_birth: '1970-01-01' }
  const match = select(read('claims_alternatives.json'), aCredential(IDENTITY, claims)).queries.get('pid')?.matches[0]
  assert.equal(match?.option, 1)
  assert.deepEqual(match?.paths, [['family_name'], ['postal_code'], ['date_of_birth']])
})

test('without claims nothing that can be withheld is chosen [DCQL-3]', () => {
  assert.deepEqual(select(ask(), aCredential('v', { a: 1 })).queries.get('q')?.matches[0]?.paths, [])
})

test('of several elements only those with a wanted value are chosen [DCQL-4]', () => {
  const query = ask({ claims: [{ path: ['n', null], values: ['ZA'] }] })
  assert.deepEqual(select(query, aCredential('v', { n: ['DE', 'ZA'] })).queries.get('q')?.matches[0]?.paths, [['n', 1]])
})

for (const [what, query, credential] of [
  ['of another type', ask(), aCredential('w', {})],
  ['of another format', ask(), aCredential('v', {}, { format: 'mso_mdoc' })],
  ['without holder binding [DCQL-1]', ask(), aCredential('v', {}, { holderBound: false })],
  ['without a claim [DCQL-5]', ask({ claims: [{ path: ['a'] }] }), aCredential('v', {})],
  ['with another value [DCQL-4]', ask({ claims: [{ path: ['a'], values: ['x'] }] }), aCredential('v', { a: 'y' })],
  [
    'with the value in another type [DCQL-4]',
    ask({ claims: [{ path: ['a'], values: ['1'] }] }),
    aCredential('v', { a: 1 }),
  ],
  [
    'under none of the trusted authorities',
    ask({ trusted_authorities: [{ type: 'aki', values: ['k'] }] }),
    aCredential('v', {}),
  ],
  ['in an unknown format', ask({ format: 'new' }), aCredential('v', {})],
] as const) {
  test(`a credential ${what} is not offered`, () => {
    const { satisfiable, unmatched, required } = select(query, credential)
    assert.deepEqual({ satisfiable, unmatched, required }, { satisfiable: false, unmatched: ['q'], required: [] })
  })
}

test('a credential that matches two queries answers both, each with its own claims [DCQL-8]', () => {
  const asked = (id: string, path: string[]) => ask({ id, claims: [{ path }] }).credentials
  const query = { credentials: [...asked('p', ['a']), ...asked('r', ['b'])] }
  const { satisfiable, queries } = select(query, aCredential('v', { a: 1, b: 2 }))
  assert(satisfiable)
  assert.deepEqual(
    ['p', 'r'].map((id) => queries.get(id)?.matches[0]?.paths),
    [[['a']], [['b']]],
  )
})

test('a type that it also is counts [DCQL-2]', () => {
  assert(select(ask(), aCredential('w', {}, { alsoTypes: ['v'] })).satisfiable)
})

test('a credential with a certificate of a trusted authority is offered, for another type of authority it is not', () => {
  const certified = aCredential('v', {}, { authorityKeyIds: ['j', 'k'] })
  const authorities = (...trusted_authorities: object[]) => select(ask({ trusted_authorities }), certified).satisfiable
  assert(authorities({ type: 'etsi_tl', values: ['k'] }, { type: 'aki', values: ['x', 'k'] }))
  assert(!authorities({ type: 'etsi_tl', values: ['k'] }))
})

test('no holder binding is fine where the query waives it', () => {
  assert(
    select(ask({ require_cryptographic_holder_binding: false }), aCredential('v', {}, { holderBound: false }))
      .satisfiable,
  )
})

test('of a required set the first option that can be is chosen, optional sets are offered apart [DCQL-7]', () => {
  const reduced = aCredential('https://credentials.example.com/reduced_identity_credential', {
    family_name: 'D',
    given_name: 'A',
  })
  const residence = aCredential('https://cred.example/residence_credential', {
    postal_code: '1',
    locality: 'l',
    region: 'r',
  })
  const rewards = aCredential('https://company.example/company_rewards', { rewards_number: '7' })
  const selection = select(read('credentials_alternatives.json'), reduced, residence, rewards)
  assert.deepEqual(selection.required, ['pid_reduced_cred_1', 'pid_reduced_cred_2'])
  assert.deepEqual(selection.optional, ['nice_to_have'])
})

test('one unmatched query without sets leaves nothing to send [DCQL-5, DCQL-7]', () => {
  const pid = aCredential(IDENTITY, { given_name: 'A', family_name: 'D', address: { street_address: '42' } })
  const { satisfiable, required, unmatched } = select(read('multi_credentials.json'), pid)
  assert.deepEqual({ satisfiable, required, unmatched }, { satisfiable: false, required: [], unmatched: ['mdl'] })
})

test('an mdoc answers by namespace and element', () => {
  const claims = { 'org.iso.7367.1': { vehicle_holder: 'A' }, 'org.iso.18013.5.1': { given_name: 'A' } }
  const mdoc = aCredential('org.iso.7367.1.mVRC', claims, { format: 'mso_mdoc' })
  assert.equal(select(read('simple_mdoc.json'), mdoc).queries.get('my_credential')?.matches[0]?.paths.length, 2)
})

// The library takes null on an empty array for a match; 7.1.1 calls an empty selection an error, so no array here is
// empty.
test('we agree with the reference library on what is satisfiable and by which claim set', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const leaf = fc.constantFrom<unknown>('x', 'y', 1, true)
  const claims = fc.dictionary(
    key,
    fc.oneof(leaf, fc.array(leaf, { minLength: 1, maxLength: 2 }), fc.dictionary(key, leaf, { noNullPrototype: true })),
    {
      noNullPrototype: true,
    },
  )
  const credentials = fc.array(fc.record({ vct: fc.constantFrom('v', 'w'), claims }), { maxLength: 3 })
  const path = fc.oneof(
    key.map((k) => [k]),
    fc.tuple(key, fc.oneof(key, fc.constant(0), fc.constant(null))),
  )
  const claim = fc.record(
    { path, values: fc.array(fc.constantFrom('x', 1, true), { minLength: 1, maxLength: 2 }) },
    { requiredKeys: ['path'] },
  )
  const query = fc
    .record({
      vct: fc.constantFrom('v', 'w'),
      claims: fc.array(claim, { minLength: 2, maxLength: 3 }),
      withSets: fc.boolean(),
    })
    .map(({ vct, claims, withSets }) => ({
      id: 'q',
      format: 'dc+sd-jwt',
      meta: { vct_values: [vct] },
      claims: claims.map((one, i) => ({ ...one, id: `i${i}` })),
      ...(withSets ? { claim_sets: [claims.map((_, i) => `i${i}`), ['i1'], ['i0']] } : {}),
    }))
  fc.assert(
    fc.property(query, credentials, (one, held) => {
      const json = { credentials: [one] }
      const theirs = Oracle.query(
        Oracle.parse(json as Parameters<typeof Oracle.parse>[0]),
        held.map(
          ({ vct, claims }) =>
            ({
              credential_format: 'dc+sd-jwt',
              vct,
              claims,
              cryptographic_holder_binding: true,
            }) as DcqlSdJwtVcCredential,
        ),
      )
      const ours = select(json, ...held.map(({ vct, claims }) => aCredential(vct, claims)))
      assert.equal(ours.satisfiable, theirs.can_be_satisfied)
      const valid = theirs.credential_matches.q?.valid_credentials ?? []
      assert.deepEqual(
        ours.queries.get('q')?.matches.map((match) => match.option),
        valid.map((match) => match.claims.valid_claim_sets[0]?.claim_set_index ?? 0),
      )
    }),
    { numRuns: 300 },
  )
})
