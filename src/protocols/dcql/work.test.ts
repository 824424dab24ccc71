import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_VALUES_MAX } from '../../crypto/json.ts'
import { type DcqlCredential, matchClaims } from './match.ts'
import { parseQuery } from './parse-query.ts'
import { dcqlLimits } from './query.ts'
import { selectCredentials } from './select-credentials.ts'

/** A credential with an array `a`, and how often its elements were read. */
function counted(elements: readonly unknown[]): { readonly credential: DcqlCredential; readonly reads: () => number } {
  let reads = 0
  const get = (target: readonly unknown[], name: string | symbol, self: unknown) => {
    if (typeof name === 'string' && /^\d+$/.test(name)) reads++
    return Reflect.get(target, name, self)
  }
  const claims = { a: new Proxy(elements, { get }) }
  return { credential: { format: 'dc+sd-jwt', type: 'v', claims, holderBound: true }, reads: () => reads }
}

const zeros = (count: number) => Array<number>(count).fill(0)
const asked = (claims: readonly object[], more: object = {}) => ({
  format: 'dc+sd-jwt',
  meta: { vct_values: ['v'] },
  claims,
  ...more,
})
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

test('claims with the same path are looked up once, and what they select is kept once', () => {
  const query = parseQuery({ credentials: [{ id: 'q', ...asked(many(128, () => ({ path: ['a', null] }))) }] })
  for (const count of [10, 100, 1000]) {
    const { credential, reads } = counted(zeros(count))
    const match = selectCredentials(query, [credential]).queries.get('q')?.matches[0]
    assert.equal(match?.paths.length, count)
    assert(reads() <= 2 * count, `${reads()} reads of ${count} elements`)
  }
})

test('the work of one query on one credential is bounded, however many claims it has and however long the array is', () => {
  const [query] = parseQuery({
    credentials: [{ id: 'q', ...asked(many(128, (at) => ({ path: ['a', null], values: [at, 0] }))) }],
  }).credentials
  assert(query !== undefined)
  for (const count of [1000, 10_000, 100_000]) {
    const { credential, reads } = counted(zeros(count))
    assert.equal(matchClaims(query, credential), null)
    assert(reads() <= dcqlLimits.elementsMax, `${reads()} reads of ${count} elements`)
  }
})

test('an array as long as a credential may have is still found as a whole', () => {
  const query = parseQuery({ credentials: [{ id: 'q', ...asked([{ path: ['a', null] }]) }] })
  const { credential } = counted(zeros(JSON_VALUES_MAX))
  const match = selectCredentials(query, [credential]).queries.get('q')?.matches[0]
  assert.equal(match?.paths.length, JSON_VALUES_MAX)
})

test('the work of all queries on all credentials is bounded together', () => {
  const claims = [{ path: ['a', null] }]
  const query = parseQuery({ credentials: many(32, (at) => ({ id: `q${at}`, ...asked(claims) })) })
  const held = many(20, () => counted(zeros(10_000)))
  selectCredentials(
    query,
    held.map((one) => one.credential),
  )
  const reads = held.reduce((sum, one) => sum + one.reads(), 0)
  assert(reads <= dcqlLimits.workMax, `${reads} reads`)
})

test('a query whose parts multiply beyond the bound is refused before it is evaluated', () => {
  const claims = many(128, (at) => ({ id: `c${at}`, path: [`c${at}`] }))
  const sets = many(64, () => claims.map(({ id }) => id))
  const query = (count: number) => ({
    credentials: many(count, (at) => ({ id: `q${at}`, ...asked(claims, { claim_sets: sets }) })),
  })
  assert.throws(() => parseQuery(query(2)), { code: 'dcql.invalid' })
  parseQuery({ credentials: many(4, (at) => ({ id: `q${at}`, ...asked(claims) })) })
})
