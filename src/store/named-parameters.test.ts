import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../test/support/database.ts'
import { numbered, positional } from './named-parameters.ts'
import { sql } from './store.ts'

const cases: readonly (readonly [what: string, text: string, numbered: string, names?: readonly string[]])[] = [
  ['a name', 'select :one, :two', 'select $1, $2', ['one', 'two']],
  ['a name that appears again', 'select :id, :at, :id', 'select $1, $2, $1', ['id', 'at']],
  ['a name that begins as another does', 'select :id, :idOf', 'select $1, $2', ['id', 'idOf']],
  ['a cast', 'select :id::uuid, a::text', 'select $1::uuid, a::text', ['id']],
  ['a colon in a text', "select 'a:b', '12:30', :c", "select 'a:b', '12:30', $1", ['c']],
  ['an assignment in a body', 'do $$ begin a := b; end $$', 'do $$ begin a := b; end $$'],
  ['parts of an array', 'select (a)[2:3], (a)[low:high], :c', 'select (a)[2:3], (a)[low:high], $1', ['c']],
  ['positions', 'select $1, $2::text', 'select $1, $2::text'],
]

test('names become positions in their order, and what only looks like one stays', () => {
  for (const [what, text, expected, names] of cases) {
    assert.deepEqual(
      numbered(text),
      names === undefined ? { text: expected } : { text: expected, parameters: names },
      what,
    )
  }
})

test('a statement has names or positions, not both', () => {
  assert.throws(() => numbered('select :id, $1'), /both :id and a position/)
})

test('a missing and a superfluous value are refused with the names of statement and parameter', () => {
  const statement = sql('test.find_one', 'select :id, :at')
  assert.deepEqual(positional(statement, { at: 2, id: undefined }), [undefined, 2])
  assert.throws(() => positional(statement, { id: 1 }), /^Error: statement test\.find_one needs :at$/)
  assert.throws(() => positional(statement, [1, 2]), /needs :id, :at$/)
  assert.throws(() => positional(statement, { id: 1, at: 2, by: 3, to: 4 }), /^Error: .*find_one has no :by, :to$/)
  assert.throws(() => positional(sql('test.find_two', 'select $1'), { id: 1 }), /find_two has no named parameters$/)
})

test('values are bound by name, in a statement and in its steps', async (t) => {
  const db = await openTestDatabase()
  t.after(() => db.close())
  const echo = sql('test.echo', 'select :text::text as text, :count::int + 1 as more, :text || :text as again')
  const steps = [{ statement: sql('test.step', 'select :any::text'), values: { any: 'a' } }]
  const rows = await db.store.singleAcross('test', (tx) => tx.rows(echo, { count: 1, text: 'a' }, steps))
  assert.deepEqual(rows, [{ text: 'a', more: 2, again: 'aa' }])
  const lacking = [{ statement: sql('test.lacking', 'select :any::text'), values: {} }]
  await assert.rejects(
    db.store.singleAcross('test', async (tx) => tx.rows(echo, { count: 1, text: 'a' }, lacking)),
    /test\.lacking needs :any/,
  )
})
