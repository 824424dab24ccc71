// What do the figures of a tenant with very many issuances cost?
// Run: node scripts/with-postgres.ts node bench/statistics.ts
// Time is that of the whole read, so it is more than the database's; the median of many. More than 50 ms is a failure.
import { cpus } from 'node:os'
import pg from 'pg'
import type { Caller, TenantId } from '../src/caller.ts'
import { countEvents } from '../src/events/counts/count-events.ts'
import { readOverview } from '../src/statistics/overview.ts'
import { origins, readStatistics } from '../src/statistics/statistics.ts'
import { openStore } from '../src/store/opening/open-store.ts'
import { createDatabase, postgresUrl } from '../test/support/database.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const TEMPLATES = 50
/** Events since the last sweep. */
const FRESH = 1_000
const BUDGET_MS = 50
const OVERVIEW_BUDGET_MS = 10
const tenant = '00000000-0000-7000-8000-000000000001'
const newest = new Date('2026-05-20T12:00:00.000Z')

if (postgresUrl === null) throw new Error('run it with scripts/with-postgres.ts')
const databaseUrl = await createDatabase(postgresUrl)
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()

const idAt = (n: string) => `('0187' || lpad(to_hex(${n}), 8, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`
const templateAt = (n: string) => `('00000000-0000-7000-8000-' || lpad((${n} % ${TEMPLATES})::text, 12, '0'))::uuid`
const timeAt = (n: string) => `$1::timestamptz - (${ROWS} - ${n}) * interval '30 seconds'`
const fill = [
  `insert into tenant (id, slug, name, created_at, updated_at) values ('${tenant}', 'large', 'Large', $1, $1)`,
  `insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at)
   select '${tenant}', ${templateAt('n')}, 'code-' || n, 'Template ' || n, 1, $1, $1 from generate_series(0, ${TEMPLATES - 1}) n`,
  `insert into issuance (tenant_id, id, status, template_id, template_version, credential_status, revocable, sweep_at, expires_at,
     created_at, updated_at)
   select '${tenant}', ${idAt('n')}, 'completed', ${templateAt('n')}, 1, 'accepted', true, $1, $1, ${timeAt('n')}, $1
   from generate_series(1, ${ROWS}) n`,
  `insert into audit_entry (tenant_id, id, at, actor_kind, action, event_type, subject_kind, subject_id, result, detail, xact)
   select '${tenant}', ${idAt('n')}, ${timeAt('n')}, 'system', 'openid4vc.issuance.offered', 'openid4vc.issuance.offered', 'issuance', ${idAt('n')}::text,
     'done', '{}', '0' from generate_series(1, ${ROWS}) n`,
]
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, ${ROWS} issuances of one tenant, ${TEMPLATES} templates`)
for (const one of fill) await client.query(one, one.includes('$1') ? [newest] : [])
await client.query('vacuum analyze issuance, audit_entry')

const store = await openStore({ databaseUrl, dataDir: null, poolMax: 2, onIdleError: console.error })
const clock = { now: () => newest }
const caller = { tenantId: tenant as TenantId, scopes: new Set(['tenant:admin']) as Caller['scopes'] } as Caller
const query = { 'filter[from]': '2021-06', 'filter[until]': '2026-05' }

let began = performance.now()
await countEvents({ store }, origins, new AbortController().signal)
const swept = performance.now() - began
console.log(`counting all of it once: ${(swept / 1000).toFixed(1)} s, ${((swept / ROWS) * 1000).toFixed(1)} µs each`)
const overviews: number[] = []
for (let run = 0; run < 14; run += 1) {
  began = performance.now()
  await readOverview({ store, clock }, caller)
  if (run > 2) overviews.push(performance.now() - began)
}
const overview = overviews.sort((a, b) => a - b).at(5) ?? 0
const isSlow = overview > OVERVIEW_BUDGET_MS
console.log(`overview: ${overview.toFixed(1)} ms of ${OVERVIEW_BUDGET_MS} ms${isSlow ? '   TOO MUCH' : ''}`)
await client.query(
  `insert into audit_entry (tenant_id, id, at, actor_kind, action, event_type, subject_kind, subject_id, result, detail)
   select '${tenant}', gen_random_uuid(), $1, 'system', 'credential.accepted', 'credential.accepted', 'issuance', ${idAt('n')}::text, 'done', '{}'
   from generate_series(1, ${FRESH}) n`,
  [newest],
)
const times: number[] = []
for (let run = 0; run < 14; run += 1) {
  began = performance.now()
  const { data } = await readStatistics({ store, clock }, caller, query)
  // The first runs open the connection and prepare the statements.
  if (run > 2) times.push(performance.now() - began)
  if (run === 0) console.log(`${data.issuances.length} rows of figures, ${FRESH} things that no sweep has counted`)
}
const [median = 0, worst = 0] = [5, -1].map((place) => times.sort((a, b) => a - b).at(place))
const verdict = median > BUDGET_MS ? '   TOO MUCH' : ''
console.log(`reading them: ${median.toFixed(1)} ms of ${BUDGET_MS} ms, at most ${worst.toFixed(1)} ms${verdict}`)
await store.close()
await client.end()
if (median > BUDGET_MS || isSlow) process.exitCode = 1
