import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../test/support/database.ts'
import { platformTenantId, sql } from './store.ts'

const PRIMING = '{"a":1,"say \\\\\\"h":2}'
const WRITTEN = '{"a":1,"say \\"hi":2}'

/**
 * Reads a document from `json` and `jsonb` columns in a process of its own whose parser has seen the priming text: what
 * the parser of the engine remembers of member names is kept for the life of a process.
 */
function readAfterPriming(databaseUrl: string | null): unknown {
  const open =
    databaseUrl === null
      ? `import { openEmbedded } from ${addressOf('./embedded/embedded.ts')}
         const engine = await openEmbedded(null)`
      : `import { openPostgresql } from ${addressOf('./postgresql/postgresql.ts')}
         const engine = openPostgresql({ url: ${JSON.stringify(databaseUrl)}, poolMax: 1, onIdleError: () => undefined })`
  const script = `${open}
    JSON.parse(${JSON.stringify(PRIMING)})
    const read = { name: 'test.read_json', text: 'select $1::json as plain, $1::json::jsonb as binary' }
    const [row] = await engine.asOwner((_script, run) => run(read, [${JSON.stringify(WRITTEN)}]))
    console.log(Object.values(row).map((one) => Object.keys(one).join('|')).join('\\n'))
    await engine.close()`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return output.trim().split('\n')
}

function addressOf(file: string): string {
  return JSON.stringify(new URL(file, import.meta.url).href)
}

test('member names in JSON columns are read as they were written, whatever the process parsed before', () => {
  assert.deepEqual(readAfterPriming(postgresUrl), ['a|say "hi', 'a|say "hi'])
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

test('a JSON column that cannot be read refuses the statement and leaves the connection usable', async () => {
  const read = sql('test.read_proto', 'select $1::jsonb as document')
  const readOf = (text: string) => db.store.single(platformTenantId, (tx) => tx.rows(read, [text]))
  await assert.rejects(readOf('{"__proto__": 1}'), { code: 'json.malformed' })
  assert.deepEqual(await readOf('{"a": 1}'), [{ document: { a: 1 } }])
})
