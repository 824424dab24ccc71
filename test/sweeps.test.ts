// Every sweep runs with the rights that it has: PostgreSQL checks them for each statement, also where no row is found.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { schedules } from '../src/contributions.ts'
import type { Platform } from '../src/platform.ts'
import { openTestDatabase, type TestDatabase } from './support/database.ts'
import { platformOn } from './support/platform.ts'

let db: TestDatabase
let platform: Platform
before(async () => {
  db = await openTestDatabase()
  platform = platformOn({ store: db.store })
})
after(() => db.close())

test('there are sweeps, each with a name of its own', () => {
  assert(schedules.length > 20)
  assert.equal(new Set(schedules.map(({ name }) => name)).size, schedules.length)
})

for (const { name, run } of schedules) {
  test(`${name} runs`, () => run(platform, new AbortController().signal))
}
