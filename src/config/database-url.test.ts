import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDatabaseUrl } from './database-url.ts'

const table = [
  ['postgresql://u@h/db', ['postgresql://u@h/db'], false],
  ['postgres://u:p@h:5433/db?target_session_attrs=any', ['postgres://u:p@h:5433/db?target_session_attrs=any'], false],
  ['postgresql://h/db?target_session_attrs=read-write', ['postgresql://h/db?target_session_attrs=read-write'], true],
] as const

test('a URL of several hosts is one URL for each, in order, and asks for a server that accepts writes', () => {
  for (const [url, urls, mustWrite] of table) assert.deepEqual(readDatabaseUrl(url), { urls, mustWrite })
  assert.deepEqual(readDatabaseUrl('postgresql://u:p%40@h1:1,[::1]:2,h3/db?x=1'), {
    urls: ['postgresql://u:p%40@h1:1/db?x=1', 'postgresql://u:p%40@[::1]:2/db?x=1', 'postgresql://u:p%40@h3/db?x=1'],
    mustWrite: true,
  })
})

for (const wrong of [
  '',
  'http://h/db',
  'postgresql://h1,/db',
  'postgresql://h1,h:x/db',
  'postgresql://h/d?target_session_attrs=standby',
]) {
  test(`refused: ${wrong || 'an empty text'}`, () => assert.throws(() => readDatabaseUrl(wrong), RangeError))
}
