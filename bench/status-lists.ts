// What does a change in a status list of a million entries cost, and do 10,000 concurrent issuances wait for each
// other's entries?
// Run: node bench/status-lists.ts. On a PostgreSQL server of its own, as in real use (fsync on).
import { randomBytes } from 'node:crypto'
import { cpus } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import type { TenantId } from '../src/caller.ts'
import { readConfig } from '../src/config.ts'
import type { Tenant } from '../src/directory/tenants/tenant.ts'
import { reserveCopies } from '../src/issuance/openid4vci/reserve-copies.ts'
import { publishStatusList } from '../src/issuance/status/publish-status-list.ts'
import { softwareKeyRing } from '../src/keys/key-ring.ts'
import { sealingWith } from '../src/keys/sealing.ts'
import { Memory } from '../src/memory/memory.ts'
import { urlsOf } from '../src/platform.ts'
import { makeCNonce } from '../src/protocols/openid4vci/c-nonce.ts'
import { emptyStatusList, setStatus } from '../src/protocols/status-list/packed-list.ts'
import { openStore } from '../src/store/opening/open-store.ts'
import { newId } from '../src/store/row-id.ts'
import { sql } from '../src/store/store.ts'
import { createDatabase } from '../test/support/database.ts'
import { startPostgres } from '../test/support/postgres.ts'

const ENTRIES = 2 ** 20
const TAKES = 10_000
const ROUNDS = 9

const insertTenant = sql(
  'bench.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'acme', 'Acme College', now(), now())`,
)
const insertList = sql(
  'bench.list',
  'insert into status_list (tenant_id, id, created_at, full_at, bits, bitmap) values ($1, $2, now(), now(), $3, $4::text::varbit)',
)
const touchList = sql('bench.touch', 'update status_list set version = version + 1 where tenant_id = $1 and id = $2')
const insertOffers = sql(
  'bench.offers',
  `insert into issuance (tenant_id, id, status, template_id, template_version, credential_status, revocable, sealed_claims,
     sweep_at, expires_at, redeemed_at, token_hash, token_expires_at, created_at, updated_at)
   select $1, one.id, 'offered', $1, 1, 'offered', true, '\\x00', later, later, now(), one.token, later, now(), now()
   from unnest($2::uuid[], $3::bytea[]) as one (id, token), (select now() + interval '1 hour' as later) as at`,
)

const postgres = await startPostgres({ durable: true })
const databaseUrl = await createDatabase(postgres.url)
const store = await openStore({ databaseUrl, dataDir: null, poolMax: 10, onIdleError: () => undefined })
const clock = { now: () => new Date() }
const config = readConfig({})
const sealing = sealingWith(randomBytes(32), store, clock.now)
const keys = softwareKeyRing(store, sealing, clock.now)
const needs = { store, config, clock, urls: urlsOf(config), keys, memory: new Memory() }
const tenantId = newId() as TenantId
const tenant = { id: tenantId, slug: 'acme', name: 'Acme College' } as Tenant
await store.across('a tenant for the bench', (tx) => tx.rows(insertTenant, [tenantId]))
try {
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`)
  const rows = []
  for (const bits of [2, 1] as const) for (const share of [0, 0.01, 0.1, 0.5]) rows.push(await rebuild(bits, share))
  console.log(
    `\na list of ${ENTRIES} entries, read from the database, compressed and signed: medians of CPU in this process`,
  )
  console.table(rows)
  console.log(`${TAKES} credentials that take an entry of one list at the same moment, over 10 connections`)
  console.table([await takes()])
} finally {
  await store.close()
  await postgres.stop()
}

/**
 * Rebuilds successive versions of a list with a share of revoked entries, every tenth of them suspended where the list
 * has two bits.
 */
async function rebuild(bits: 1 | 2, share: number) {
  const list = emptyStatusList(bits, ENTRIES)
  for (let at = 0; at < ENTRIES; at += 1) {
    if (Math.random() < share) setStatus(list, at, bits === 2 && Math.random() < 0.1 ? 2 : 1)
  }
  const id = newId()
  const bitmap = `x${Buffer.from(list.packed).toString('hex')}`
  await store.single(tenantId, (tx) => tx.rows(insertList, [tenantId, id, bits, bitmap]))
  const [all, again]: number[][] = [[], []]
  let bytes = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await store.single(tenantId, (tx) => tx.rows(touchList, [tenantId, id]))
    const form = bits === 1 ? 'cwt' : 'jwt'
    const from = process.cpuUsage()
    const { token, gzipped } = await publishStatusList(needs, tenant, id, form)
    all?.push(milliseconds(from))
    if (gzipped !== null && gunzipSync(gzipped).length !== token.length) throw new Error('not the same')
    const since = process.cpuUsage()
    await publishStatusList(needs, tenant, id, form)
    again?.push(milliseconds(since))
    bytes = token.length
  }
  return {
    bits,
    revoked: `${share * 100} %`,
    'token bytes': bytes,
    'rebuilt, ms of CPU': median(all ?? []),
    'unchanged, ms of CPU': median(again ?? []),
  }
}

async function takes() {
  const offers = Array.from({ length: TAKES }, () => ({ id: newId(), token: randomBytes(32) }))
  await store.single(tenantId, (tx) =>
    tx.rows(insertOffers, [tenantId, offers.map(({ id }) => id), offers.map(({ token }) => token)]),
  )
  const [first, ...others] = offers
  if (first === undefined) throw new Error('nothing to take')
  await take(first)
  const before = { ...store.counts }
  const took: number[] = []
  const from = performance.now()
  let next = 0
  const worker = async () => {
    for (let one = others[next++]; one !== undefined; one = others[next++]) {
      const begun = performance.now()
      await take(one)
      took.push(performance.now() - begun)
    }
  }
  const waits = await countWaits(databaseUrl)
  // As many at once as connections: measures the wait in the database, not the one for a connection.
  await Promise.all(Array.from({ length: 10 }, worker))
  const seconds = (performance.now() - from) / 1000
  const waiting = await waits.stop()
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(share * (took.length - 1))]?.toFixed(2)
  const retries = store.counts.statements - before.statements - others.length
  return {
    'a second': Math.round(others.length / seconds),
    retries,
    'waiting for another': waiting,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'longest ms': at(1),
  }
}

/** Samples how many transactions wait for another one. @returns how often there were any */
async function countWaits(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  let [looks, hits] = [0, 0]
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const { rows } = await client.query('select count(*)::int as waiting from pg_locks where not granted')
      looks += 1
      if (rows[0].waiting > 0) hits += 1
      await setTimeout(10)
    }
  })()
  const stop = async () => {
    isOver = true
    await looking
    await client.end()
    return `in ${hits} of ${looks} looks`
  }
  return { stop }
}

async function take({ id, token }: { readonly id: string; readonly token: Buffer }): Promise<void> {
  const granted = {
    id,
    templateId: tenantId,
    templateVersion: 1,
    identified: false,
    expiresAt: clock.now(),
    tokenHash: token,
    jkt: null,
    clientId: null,
  }
  const key = {
    thumbprint: token.toString('base64url'),
    jwk: { kty: 'EC', crv: 'P-256', x: '', y: '' },
    nonce: id,
  } as const
  const entry = {
    action: 'openid4vc.issuance.completed',
    subject: { kind: 'issuance', id },
    by: { kind: 'wallet' },
  } as const
  const keys = { bound: [key], holderKeysHash: token, nonces: [makeCNonce(token, clock.now())] }
  const listKind = { bits: 2, authorityId: null, kid: null } as const
  const ask = { granted, revocable: true, ...keys, listKind, validUntil: null, entry, refill: null }
  const { entries } = await reserveCopies(needs, tenant, ask, clock.now())
  if (entries?.indices.length !== 1) throw new Error('no entry taken')
}

function milliseconds(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

function median(values: readonly number[]): number {
  return Number((values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN).toFixed(1))
}
