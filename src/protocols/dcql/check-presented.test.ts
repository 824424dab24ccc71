import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPresented, type Presented } from './check-presented.ts'
import { parseQuery } from './parse-query.ts'

function ask(id: string, more: object = {}) {
  return { id, format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, claims: [{ path: ['a'] }], ...more }
}

function shown(claims: object = { a: 1 }, more: Partial<Presented> = {}): Presented {
  return { format: 'dc+sd-jwt', type: 'v', claims, holderBound: true, ...more }
}

function check(query: object, presented: Record<string, readonly Presented[]>) {
  return checkPresented(parseQuery(query), new Map(Object.entries(presented)))
}

const one = { credentials: [ask('q')] }

test('what was asked for and shown satisfies the query', () => {
  assert.deepEqual(check(one, { q: [shown()] }), { satisfied: true, findings: [] })
})

test('claims beyond the query are accepted [DCQL-21]', () => {
  assert(check(one, { q: [shown({ a: 1, b: 2 })] }).satisfied)
})

for (const [what, query, presented, code] of [
  ['nothing', one, {}, 'unanswered'],
  ['another type', one, { q: [shown({ a: 1 }, { type: 'w' })] }, 'type'],
  ['another format', one, { q: [shown({ a: 1 }, { format: 'mso_mdoc' })] }, 'format'],
  ['no holder binding', one, { q: [shown({ a: 1 }, { holderBound: false })] }, 'holder_binding'],
  ['a claim short', one, { q: [shown({})] }, 'claims'],
  [
    'another value',
    { credentials: [ask('q', { claims: [{ path: ['a'], values: [2] }] })] },
    { q: [shown()] },
    'claims',
  ],
  [
    'another authority',
    { credentials: [ask('q', { trusted_authorities: [{ type: 'aki', values: ['k'] }] })] },
    { q: [shown()] },
    'trusted_authority',
  ],
  ['two where one was asked for (VP-S1)', one, { q: [shown(), shown()] }, 'too_many'],
  ['an id that was not asked for (VP-S1)', one, { q: [shown()], other: [shown()] }, 'unknown_query'],
  ['an empty answer (VP-S1)', one, { q: [] }, 'unanswered'],
] as const) {
  test(`a response with ${what} does not satisfy [DCQL-20]`, () => {
    const { satisfied, findings } = check(query, presented)
    assert.equal(satisfied, false)
    assert(findings.some((finding) => finding.code === code))
  })
}

test('one credential shown twice counts once', () => {
  const query = { credentials: [ask('q', { multiple: true })] }
  const { satisfied, findings } = check(query, {
    q: [shown({ a: 1 }, { fingerprint: 'f' }), shown({ a: 1 }, { fingerprint: 'f' })],
  })
  assert(satisfied)
  assert.deepEqual(findings, [{ queryId: 'q', index: 1, code: 'duplicate' }])
})

test('a bad presentation is discarded; the rest may still satisfy another option', () => {
  const query = { credentials: [ask('p'), ask('q')], credential_sets: [{ options: [['p'], ['q']] }] }
  assert(check(query, { p: [shown({})], q: [shown()] }).satisfied)
  assert.equal(check(query, { p: [shown({})] }).satisfied, false)
})

test('an optional set may stay unanswered [DCQL-7]', () => {
  const query = {
    credentials: [ask('p'), ask('q')],
    credential_sets: [{ options: [['p']] }, { options: [['q']], required: false }],
  }
  assert(check(query, { p: [shown()] }).satisfied)
})
