// What does a page of a very long list cost in the database? Run: node scripts/with-postgres.ts node bench/lists.ts
// One tenant with a million issuances and one with a few; time is that of EXPLAIN ANALYZE, planning included. More than
// 10 ms is a failure.
import { cpus } from 'node:os'
import pg from 'pg'
import { type AuditFilter, listAuditRows } from '../src/events/audit/audit-store.ts'
import { listIssuances } from '../src/issuance/issuances/issuance-list-store.ts'
import { positional, type Values } from '../src/store/named-parameters.ts'
import type { PageRequest } from '../src/store/paged-list.ts'
import type { Sql, TenantTx } from '../src/store/store.ts'
import { createDatabase, postgresUrl } from '../test/support/database.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const BUDGET_MS = 10
const tenant = '00000000-0000-7000-8000-000000000001'
const template = (n: number) => `00000000-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`
const newest = new Date('2026-05-01T12:00:00.000Z')

if (postgresUrl === null) throw new Error('run it with scripts/with-postgres.ts')
const client = new pg.Client({ connectionString: await createDatabase(postgresUrl) })
await client.connect()

// An issuance each 20 s. Of 20 templates the last has 1 in 1,000; of the statuses `failed` has 1 in 10,000, `expired` 1
// in 50.
const fill = `
  insert into tenant (id, slug, name, created_at, updated_at) values ('${tenant}', 'large', 'Large', now(), now());
  insert into issuance (tenant_id, id, status, template_id, template_version, reference, credential_status, revocable, sweep_at,
    expires_at, created_at, updated_at, sealed_claims)
  select '${tenant}', (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
    status, ('00000000-0000-7000-8000-0000000001' || lpad((case when n % 1000 = 0 then 19 else n % 19 end)::text, 2, '0'))::uuid, 1,
    'student-' || n / 2, case when status = 'completed' then 'accepted' else status end, true, at + interval '1 day',
    at + interval '1 day', at, at, case when status = 'offered' then decode('00', 'hex') end
  from (select n, at, case when n % 10000 = 1 then 'failed' when n % 50 = 2 then 'expired' when at > $1::timestamptz - interval '1 day' then 'offered'
      else 'completed' end as status
    from (select n, $1::timestamptz - (${ROWS} - n) * interval '20 seconds' as at from generate_series(1, ${ROWS}) n) times) made`

// Of a million entries one in 100,000 is a change by a person; all others are offers by one client.
const fillAudit = `
  insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, action, event_type, subject_kind, subject_id, result, detail, xact)
  select tenant_id, id, created_at, 'client', case when n % 100000 = 1 then 'admin' else 'backend' end,
    case when n % 100000 = 1 then 'client.created' else 'openid4vc.issuance.offered' end,
    case when n % 100000 = 1 then null else 'openid4vc.issuance.offered' end, 'issuance', id::text, 'done', '{}', '0'
  from (select *, row_number() over (order by id) as n from issuance) made`

const [first, ...rest] = fill.split(';\n')
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, ${ROWS} issuances of one tenant`)
await client.query(first ?? '')
await client.query(rest.join(';'), [newest])
await client.query(fillAudit)
await client.query('vacuum analyze issuance, audit_entry')

const page: PageRequest = {
  size: 25,
  after: null,
  before: null,
  sort: { field: 'createdAt' },
  readDescending: true,
  end: { isEarly: false },
}
const { rows: ids } = await client.query(
  `select id from issuance where template_id = $1 order by id offset $2 limit 1`,
  [template(19), Math.floor(ROWS / 2000)],
)
const middle: string = ids[0].id
const daysAgo = (days: number) => new Date(newest.getTime() - days * 86_400_000)
const questions: [string, PageRequest, Parameters<typeof listIssuances>[2]][] = [
  ['first page', page, {}],
  ['last page', { ...page, readDescending: false }, {}],
  ['a page of 100 in the middle', { ...page, size: 100, after: middle }, {}],
  ['a template of many', page, { templateId: template(3) }],
  ['a template of few', page, { templateId: template(19) }],
  ['a template of few, in the middle', { ...page, after: middle }, { templateId: template(19) }],
  ['a template of none', page, { templateId: template(99) }],
  ['a reference', page, { reference: 'student-123' }],
  ['a reference of none', page, { reference: 'nobody' }],
  ...(['offered', 'partiallyIssued', 'completed', 'failed', 'expired', 'canceled'] as const).map(
    (status): [string, PageRequest, { status: typeof status }] => [`status ${status}`, page, { status }],
  ),
  ['status failed, in the middle', { ...page, after: middle }, { status: 'failed' }],
  ['before a day half a year ago', page, { createdBefore: daysAgo(180) }],
  ['after a day half a year ago, oldest first', { ...page, readDescending: false }, { createdAfter: daysAgo(180) }],
  ['between two days', page, { createdAfter: daysAgo(101), createdBefore: daysAgo(100) }],
  ['between two days, in the middle', { ...page, after: middle }, { createdBefore: daysAgo(100) }],
  ['a template and a status', page, { templateId: template(3), status: 'expired' }],
]

const all: AuditFilter = {
  actor: undefined,
  action: undefined,
  subject: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
}
const auditQuestions: [string, PageRequest, Partial<AuditFilter>][] = [
  ['audit: first page', page, {}],
  ['audit: an actor of many', page, { actor: 'backend' }],
  ['audit: an actor of few', page, { actor: 'admin' }],
  ['audit: an actor of none', page, { actor: 'nobody' }],
  ['audit: an action of many', page, { action: 'openid4vc.issuance.offered' }],
  ['audit: an action of few', page, { action: 'client.created' }],
  ['audit: an action of none', page, { action: 'user.created' }],
  ['audit: a subject', page, { subject: middle }],
  ['audit: before a day half a year ago', page, { createdBefore: daysAgo(180).toISOString() }],
  ['audit: after it, oldest first', { ...page, readDescending: false }, { createdAfter: daysAgo(180).toISOString() }],
]
const asked: [string, (tx: TenantTx) => Promise<unknown>][] = [
  ...questions.map(([what, ask, filter]): [string, (tx: TenantTx) => Promise<unknown>] => {
    return [what, (tx) => listIssuances(tx, ask, filter, newest)]
  }),
  ...auditQuestions.map(([what, ask, filter]): [string, (tx: TenantTx) => Promise<unknown>] => {
    return [what, (tx) => listAuditRows(tx, ask, { ...all, ...filter })]
  }),
]

let worst = 0
for (const [what, list] of asked) {
  const times: number[] = []
  // As a prepared statement is run: planned for its values five times, then perhaps once for all.
  for (let run = 0; run < 8; run += 1) times.push(await timeOf(list))
  const most = Math.max(...times.slice(1))
  worst = Math.max(worst, most)
  console.log(`${what.padEnd(44)} ${most.toFixed(2).padStart(8)} ms${most > BUDGET_MS ? '   TOO MUCH' : ''}`)
}
await client.end()
console.log(`worst: ${worst.toFixed(2)} ms of ${BUDGET_MS} ms`)
if (worst > BUDGET_MS) process.exitCode = 1

async function timeOf(list: (tx: TenantTx) => Promise<unknown>): Promise<number> {
  let spent = 0
  const rows = async (statement: Sql, values: Values = []) => {
    const { name, text } = statement
    const { rows: plan } = await client.query({
      name,
      text: `explain (analyze, format json) ${text}`,
      values: [...positional(statement, values)],
    })
    const [top] = plan[0]['QUERY PLAN']
    spent = top['Planning Time'] + top['Execution Time']
    if (process.argv[3] === 'plan') console.log(JSON.stringify(top.Plan, null, 1))
    return []
  }
  await client.query('begin')
  await client.query(
    `select set_config('role', 'chirograph_app', true), set_config('chirograph.tenant_id', $1, true)`,
    [tenant],
  )
  // As much of a transaction as the list needs.
  await list({ tenantId: tenant, rows } as unknown as TenantTx)
  await client.query('commit')
  return spent
}
