import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'libpg-query'
import { filesIn, root } from '../../../test/support/source.ts'
import { statementsOf } from './sql-statements.ts'

test('a semicolon in a string, a name, a comment or a body ends no statement', () => {
  const script = `-- one; two
    select ';', "a;b", 'it''s;' /* ; */ from t; -- three;
    create function f() returns int language sql as $body$ select 1; $body$;
    do $$ begin perform 1; end $$`
  const bodies = [
    'create function f() returns int language sql as $body$ select 1; $body$',
    'do $$ begin perform 1; end $$',
  ]
  assert.deepEqual(statementsOf(script), [`select ';', "a;b", 'it''s;' /* ; */ from t`, ...bodies])
})

test('the statements of every migration are those that PostgreSQL reads in it', async () => {
  for (const path of filesIn('src/store/migrations', '.sql')) {
    const text = readFileSync(join(root, path), 'utf8')
    const whole = (await parse(text)) as { stmts: unknown[] }
    const found = statementsOf(text)
    assert.equal(found.length, whole.stmts.length, path)
    for (const one of found) assert.equal(((await parse(one)) as { stmts: unknown[] }).stmts.length, 1, one)
  }
})
