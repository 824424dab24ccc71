import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { filesIn, isForTests, lineOf, root, sourcesIn } from './support/source.ts'

const product = sourcesIn('src').filter(({ path }) => !isForTests(path))
const migrations = filesIn('src/store/migrations', '.sql').map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { name: basename(path), text, statements: text.replace(/--[^\n]*/g, '') }
})
const created = migrations.flatMap(({ statements }) =>
  [...statements.matchAll(/create table (?:if not exists )?(\w+) \(([\s\S]*?)\n\);/g)].map((found) => {
    return { table: found[1] ?? '', columns: found[2] ?? '' }
  }),
)
const tables = new Set(created.map(({ table }) => table))

/** Which rooms hold SQL that does this to each table. */
function roomsBy(pattern: RegExp): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>()
  for (const { path, uncommented } of product) {
    for (const [, table = ''] of uncommented.matchAll(pattern)) {
      const room = path.split('/')[1]?.replace(/\.ts$/, '') ?? ''
      if (tables.has(table)) rooms.set(table, (rooms.get(table) ?? new Set()).add(room))
    }
  }
  return rooms
}

function inMoreThanOne(rooms: Map<string, Set<string>>): string[] {
  return [...rooms].filter(([, found]) => found.size > 1).map(([table, found]) => `${table}: ${[...found].join(', ')}`)
}

test('each table has one writing room', () => {
  assert.deepEqual(inMoreThanOne(roomsBy(/\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?(\w+)/gi)), [])
})

test('no room reads the table of another', () => {
  assert.deepEqual(inMoreThanOne(roomsBy(/\b(?:from|join|into|update)\s+(?:only\s+)?(\w+)/gi)), [])
})

const names = product.flatMap(({ path, uncommented }) =>
  [...uncommented.matchAll(/\b(?:sql|tenantsWith|decision|wrote|auditWhere)\(\s*['"`]([^'"`]+)['"`]/g)].map((found) => {
    return { name: found[1] ?? '', place: `${path}:${lineOf(uncommented, found.index)}` }
  }),
)
/** Their statements have other names still; a prefix that is converted goes from here. */
const namedOtherwise = new Set(['directory', 'events', 'http', 'issuance', 'jobs', 'schedule', 'trust', 'verification'])

test('a statement is named room.verb_noun', () => {
  const wrong = names.filter(
    ({ name }) => !namedOtherwise.has(name.split('.')[0] ?? '') && !/^[a-z_]+\.[a-z]+(_[a-z0-9]+)+$/.test(name),
  )
  assert.deepEqual(wrong, [])
})

test('each statement has a name of its own', () => {
  const doubled = names.filter(({ name, place }) => names.some((other) => other.name === name && other.place !== place))
  assert.deepEqual(doubled, [])
})

test('a statement has positions up to $9, or names', () => {
  const counted = product.flatMap(({ path, uncommented }) =>
    [...uncommented.matchAll(/\$[1-9]\d+\b/g)].map(({ 0: position, index }) => {
      return `${path}:${lineOf(uncommented, index)}: ${position}`
    }),
  )
  assert.deepEqual(counted, [])
})

test('migrations are numbered without a gap and say what, locks, old code and way back', () => {
  assert.deepEqual(
    migrations.map(({ name }) => name.slice(0, 4)),
    migrations.map((_, index) => String(index + 1).padStart(4, '0')),
  )
  const lacking = migrations.filter(
    ({ name, text }) =>
      !text.startsWith(`-- ${name.slice(0, 4)} `) ||
      !/^(--[^\n]*\n)*--[^\n]*Locks:/.test(text) ||
      !/Old code runs on it:/.test(text) ||
      !/Way back:/.test(text),
  )
  assert.deepEqual(
    lacking.map(({ name }) => name),
    [],
  )
})

test('a landed migration never changes: each has the digest that it landed with', () => {
  const landed = readFileSync(join(root, 'src/store/migrations/SHA256SUMS'), 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    migrations.map(({ name, text }) => `${createHash('sha256').update(text).digest('hex')}  ${name}`),
    landed,
    'add a migration instead of changing one; a new one gets its line in SHA256SUMS when it lands',
  )
})

test('the wall stands around every table that has a tenant', () => {
  const walled = new Set(
    migrations.flatMap(({ statements }) =>
      [...statements.matchAll(/protect_tenant_rows\('(\w+)'\)/g)].map((found) => found[1]),
    ),
  )
  const open = created.filter(({ table, columns }) => /\btenant_id\b/.test(columns) && !walled.has(table))
  assert.deepEqual(
    open.map(({ table }) => table),
    [],
  )
})

test('a table of a later migration refers to a distributed one by add_reference', () => {
  const copied = new Set(['tenant', 'client', 'client_secret', 'identity_provider'])
  const direct = migrations.filter(({ statements }) =>
    [...statements.replace(/'(?:[^']|'')*'/g, '').matchAll(/\breferences (\w+)/g)].some(
      ([, target = '']) => !copied.has(target),
    ),
  )
  const numbers = direct.map(({ name }) => Number(name.slice(0, 4)))
  // No database is distributed before it has the baseline.
  assert(numbers.length > 5)
  assert.deepEqual(
    numbers.filter((number) => number > 17),
    [],
  )
})
