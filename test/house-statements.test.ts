// Rules of the house for every statement, so that the tables can be distributed by tenant
// (docs/decisions/0016-ready-for-a-distributed-engine.md).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parse } from 'libpg-query'
import { filesIn, isForTests, lineOf, root, sourcesIn } from './support/source.ts'
import { declaredStatements } from './support/statements.ts'
import { type Part, partsOf } from './support/syntax-tree.ts'

/**
 * Statements that are about all tenants: they list whose rows are due, delete what has ended, or tell waiting calls of
 * changes. By room.
 */
const crossingByRoom = {
  api: 'delete_expired_answers delete_shared_counts',
  authorization:
    'delete_expired_codes delete_expired_families delete_expired_links delete_expired_sign_in_claims delete_pushed_requests delete_sign_in_counts delete_sign_in_states delete_spent_jti find_token_issuers list_idle_sessions list_old_sessions tenants_with_unfinished_session_ends',
  console: 'delete_expired_table_drafts',
  directory: 'find_client_owner list_tenants_of_deleted_users',
  events:
    'delete_ended_deliveries delete_ended_secrets begin_eras list_foreign_eras list_address_tenants find_archive_tenant find_first_archive_tenant list_due_deliveries list_lagging_endpoints list_tenants_to_count newest_positions',
  issuance:
    'delete_old_nonces list_batch_versions list_issuance_versions list_tenants_to_forget list_tenants_with_ended list_tenants_with_old_batches list_tenants_with_old_mails list_tenants_with_replacements list_tenants_with_stalled_batches next_tenant_with_attributes',
  jobs: 'claim_due delete_dead',
  pages: 'delete_expired_sessions delete_kept_paths',
  trust: 'list_due_keys list_due_requests list_due_revocation_lists list_ending_certificates list_roots_without_leaf',
  verification:
    'find_page_tenant list_due_tenants list_request_versions list_result_tenants list_tenants_with_ended list_visit_tenants',
  wallet:
    'list_issuance_session_versions list_presentation_versions list_tenants_with_ended_deliveries tenants_with_due_deferred tenants_with_due_issuance_sessions tenants_with_due_links tenants_with_due_notifications tenants_with_due_presentations tenants_with_due_refills tenants_with_due_reminders tenants_with_due_standings tenants_with_expired_deliveries tenants_with_expired_orders tenants_with_late_images tenants_with_late_notifications',
}
const crossing = Object.entries(crossingByRoom).flatMap(([room, names]) =>
  names.split(' ').map((name) => `${room}.${name}`),
)
/** The table of jobs stays with the coordinator, so its rows can be locked by one statement for all tenants. */
const locking = new Set(['jobs.claim_due'])

/** Tables with a column for the tenant, as the migrations make them. */
const tenantTables = new Set(
  filesIn('src/store/migrations', '.sql').flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/--[^\n]*/g, '')
    const made = [...text.matchAll(/create table (?:if not exists )?(\w+) \(([\s\S]*?)\n\)/g)]
    return made.filter(([, , columns = '']) => /\btenant_id\b/.test(columns)).map(([, table = '']) => table)
  }),
)
let trees: ReadonlyMap<string, unknown>
before(async () => {
  const parsed = [...declaredStatements()].map(async ([name, text]) => [name, await parse(text)] as const)
  trees = new Map(await Promise.all(parsed))
})

const WITHIN = ['SelectStmt']
const QUERIES = ['SelectStmt', 'larg', 'rarg', 'UpdateStmt', 'DeleteStmt']
const WRITES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt']

test('a statement names one tenant in every table, or stands on the list of those that cross tenants', () => {
  const without = [...trees].filter(([, tree]) => isUnbound(tree))
  assert.deepEqual(without.map(([name]) => name).sort(), [...crossing].sort())
  assert(trees.size > 400, `${trees.size} statements are seen`)
})

test('a statement that crosses tenants locks no row and does not recurse over them', () => {
  const found = [...trees].filter(([name]) => crossing.includes(name))
  const names = (kind: string) => found.filter(([, tree]) => partsOf(tree, [kind]).length > 0).map(([name]) => name)
  assert.deepEqual(new Set(names('LockingClause')), locking)
  const recursive = found.filter(([, tree]) => partsOf(tree, ['withClause']).some((one) => one.recursive === true))
  assert.deepEqual(
    recursive.map(([name]) => name),
    [],
  )
})

test('each INSERT … SELECT into a table of tenants returns something', () => {
  const silent = [...trees].filter(([, tree]) =>
    partsOf(tree, ['InsertStmt']).some((one) => isWalled(one) && isSelected(one) && !('returningClause' in one)),
  )
  assert.deepEqual(
    silent.map(([name]) => name),
    [],
  )
})

test('no statement writes in a CTE and at its top', () => {
  const both = [...trees].filter(([, tree]) => {
    const tops = partsOf(tree, WRITES, ['withClause'])
    return tops.some((top) => partsOf(top.withClause, WRITES).length > 0)
  })
  assert.deepEqual(
    both.map(([name]) => name),
    [],
  )
})

/** What they read is the same before and after they write, or is not used where they wrote. */
const readingAgain = new Set(
  'api.add_shared_count api.clear_shared_count api.take_kept_key trust.revoke_again'.split(' '),
)

test('a statement does not read at its top what a CTE of it writes: a distributed engine shows it the rows as they are after that', () => {
  const found = [...trees].filter(([, tree]) => {
    const ctes = partsOf(tree, ['CommonTableExpr'])
    const written = new Set(ctes.flatMap(({ ctequery }) => partsOf(ctequery, WRITES)).map(tableOf))
    const names = new Set(ctes.map(({ ctename }) => String(ctename)))
    const read = partsOf(tree, ['RangeVar'], ['withClause']).map(({ relname }) => String(relname))
    return read.some((name) => written.has(name) && !names.has(name))
  })
  assert.deepEqual(new Set(found.map(([name]) => name)), readingAgain)
})

test('no time is calculated from an interval in CASE or COALESCE', () => {
  const calculated = [...trees].filter(([, tree]) =>
    partsOf(partsOf(tree, ['CaseExpr', 'CoalesceExpr']), ['A_Expr']).some((one) =>
      JSON.stringify(one).includes('"interval"'),
    ),
  )
  assert.deepEqual(
    calculated.map(([name]) => name),
    [],
  )
})

test('RETURNING has no subquery, and a CTE that locks rows is a query around the one that locks', () => {
  const found = [...trees].filter(([, tree]) => {
    const returned = partsOf(tree, WRITES).map(({ returningList }) => returningList)
    const locking = partsOf(tree, ['CommonTableExpr']).filter(({ ctequery }) => {
      const select = (ctequery as Part | undefined)?.SelectStmt
      return select !== undefined && 'lockingClause' in (select as Part)
    })
    const isRead = partsOf(tree, ['InsertStmt']).some((one) => isWalled(one) && isSelected(one))
    return partsOf(returned, ['SubLink']).length > 0 || (isRead && locking.length > 0)
  })
  assert.deepEqual(
    found.map(([name]) => name),
    [],
  )
})

/**
 * What a node answers for itself: a distributed engine asks the coordinator, and the row is on a worker. Those of
 * `::date` and the like are none.
 */
const OF_A_NODE = [
  /^(now|timeofday|(clock|statement|transaction)_timestamp)$/,
  /^(random|gen_random_uuid|uuidv[47]|nextval|currval|lastval)$/,
  /^(txid_.*|pg_current_.*|pg_snapshot_.*|pg_backend_pid|inet_server_.*)$/,
]

test('a statement that writes asks nothing of the node that it runs on', () => {
  const asking = [...trees].filter(([, tree]) => {
    if (partsOf(tree, WRITES).length === 0) return false
    if (partsOf(tree, ['SQLValueFunction']).length > 0) return true
    const called = partsOf(tree, ['FuncCall']).map(({ funcname }) => partsOf(funcname, ['String']).at(-1)?.sval)
    return called.some((name) => OF_A_NODE.some((one) => one.test(String(name))))
  })
  assert.deepEqual(
    asking.map(([name]) => name),
    [],
  )
})

test('CASE has conditions instead of a value to compare, where a row is written', () => {
  const simple = [...trees].filter(
    ([, tree]) => partsOf(tree, WRITES).length > 0 && partsOf(tree, ['CaseExpr']).some((one) => 'arg' in one),
  )
  assert.deepEqual(
    simple.map(([name]) => name),
    [],
  )
})

test('the INSERT of each table is written in one place', () => {
  const places = new Map<string, string[]>()
  for (const { path, uncommented } of sourcesIn('src').filter((one) => !isForTests(one.path))) {
    for (const { 1: table = '', index } of uncommented.matchAll(/\binsert\s+into\s+(\w+)/gi)) {
      places.set(table, [...(places.get(table) ?? []), `${path}:${lineOf(uncommented, index)}`])
    }
  }
  const several = [...places].filter(([, found]) => found.length > 1)
  assert.deepEqual(several, [], 'use the INSERT that is there, or its builder')
  // None is composed in a way that the sources do not show.
  const inserted = new Set([...trees.values()].flatMap((tree) => partsOf(tree, ['InsertStmt']).map(tableOf)))
  assert(inserted.size > 60, `${inserted.size} tables are inserted into`)
  assert.deepEqual(
    [...inserted].filter((table) => !places.has(table)),
    [],
  )
})

/**
 * The entry of a change is recorded by a step of plain values, after the change. In these the statement itself has to
 * decide: two redemptions are one statement, and two entries are recorded where a row of this transaction says so.
 */
const decidingOnEntries = [
  'authorization.redeem_code',
  'issuance.redeem_offer_checked',
  'issuance.insert_completion',
  'verification.insert_creation',
]

test('an audit entry is recorded by the one plain step', () => {
  const found = [...trees].filter(([, tree]) =>
    partsOf(tree, ['InsertStmt']).some((one) => tableOf(one) === 'audit_entry'),
  )
  assert.deepEqual(found.map(([name]) => name).sort(), [...decidingOnEntries, 'events.insert_audit_entry'].sort())
})

function isWalled({ relation }: Part): boolean {
  return tenantTables.has(tableOf({ relation }))
}

function tableOf({ relation }: Part): string {
  return String((relation as Part).relname)
}

function isSelected({ selectStmt }: Part): boolean {
  const select = (selectStmt as Part | undefined)?.SelectStmt
  return select !== undefined && !('valuesLists' in (select as Part))
}

function isUnbound(tree: unknown): boolean {
  const ctes = new Set(partsOf(tree, ['CommonTableExpr']).map(({ ctename }) => ctename))
  return partsOf(tree, QUERIES).some((query) => unbound(query, ctes).length > 0)
}

/**
 * Aliases of the tables of a query that no condition binds to a tenant: to a value, or to the tenant of a table that is
 * bound.
 */
function unbound(query: Part, ctes: ReadonlySet<unknown>): string[] {
  const sources = { relation: query.relation, from: query.fromClause, using: query.usingClause }
  const tables = partsOf(sources, ['RangeVar', 'relation'], WITHIN).filter(
    ({ relname }) => tenantTables.has(String(relname)) && !ctes.has(relname),
  )
  const aliases = new Set(tables.map(aliasOf))
  const equations = partsOf({ ...sources, where: query.whereClause }, ['A_Expr', 'JoinExpr'], WITHIN).flatMap((one) =>
    sidesOf(one, aliases),
  )
  const bound = new Set<string>()
  const isBound = (side: string | null) => side === null || bound.has(side) || !aliases.has(side)
  for (let known = -1; known < bound.size; ) {
    known = bound.size
    for (const [left, right] of equations) {
      if (left !== null && isBound(right)) bound.add(left)
      if (right !== null && isBound(left)) bound.add(right)
    }
  }
  return [...aliases].filter((alias) => !bound.has(alias))
}

type Side = string | null

/** What a condition sets equal to a tenant, in pairs: the alias of a table of the query, or null for anything else. */
function sidesOf(condition: Part, aliases: ReadonlySet<string>): (readonly [Side, Side])[] {
  if ('jointype' in condition) return joined(condition)
  if (condition.kind !== 'AEXPR_OP' || !JSON.stringify(condition.name).includes('"="')) return []
  const left = elements(condition.lexpr)
  const right = elements(condition.rexpr)
  return left.flatMap((one, at) => {
    const [mine, other] = [tenantOf(one, aliases), tenantOf(right[at], aliases)]
    return pairs(mine.length === 0 ? [null] : mine, other.length === 0 ? [null] : other)
  })
}

function pairs(left: readonly Side[], right: readonly Side[]): (readonly [Side, Side])[] {
  return left.flatMap((one) => right.map((other) => [one, other] as const))
}

/** `join … using (tenant_id)`: each table on the one side with each on the other. */
function joined({ larg, rarg, usingClause }: Part): (readonly [Side, Side])[] {
  if (!JSON.stringify(usingClause ?? null).includes('"tenant_id"')) return []
  const names = (side: unknown) => partsOf(side, ['RangeVar'], WITHIN).map(aliasOf)
  return pairs(names(larg), names(rarg))
}

function aliasOf({ alias, relname }: Part): string {
  return String((alias as Part | undefined)?.aliasname ?? relname)
}

function elements(side: unknown): readonly unknown[] {
  const row = (side as Part | undefined)?.RowExpr as Part | undefined
  return row === undefined ? [side] : (row.args as readonly unknown[])
}

/** Aliases whose tenant an expression is: without a qualifier of all, since their tenants were joined. */
function tenantOf(expression: unknown, aliases: ReadonlySet<string>): readonly string[] {
  const column = (expression as Part | undefined)?.ColumnRef
  const names = partsOf(column, ['String']).map(({ sval }) => String(sval))
  if (names.at(-1) !== 'tenant_id') return []
  const [qualifier = ''] = names
  return names.length === 1 ? [...aliases] : aliases.has(qualifier) ? [qualifier] : []
}
