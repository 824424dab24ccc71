// How long does a batch of 1,000 issuances take, from the POST until all are done? Run: node bench/batch.ts
// Server, client and PostgreSQL are processes of their own (fsync on). More than 5 s on PostgreSQL is a failure.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Json, text } from '../demo/json.ts'
import { startServer } from '../demo/server-process.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Client, countersOf, openClient } from './measure.ts'
import { attributes, backendToken, bootstrap, createTemplate } from './party.ts'

const ITEMS = 1000
const ROUNDS = 5
const BUDGET_MS = 5000
const PATH = '/creds/credentials/issuance/batch'

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}: ${ITEMS} items of ten claims`)
const postgres = await startPostgres({ durable: true })
try {
  const worst = await benchOn('PostgreSQL', { DATABASE_URL: postgres.url })
  if (worst > BUDGET_MS) process.exitCode = 1
} finally {
  await postgres.stop()
}
await benchOn('embedded', {})

/** @returns ms of the slowest round */
async function benchOn(database: string, settings: Record<string, string>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const server = await startServer({
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_FILE: file,
    LOG_LEVEL: 'info',
    ...settings,
  })
  const client = openClient([server.url], 4)
  try {
    const token = await backendToken(client)
    const { id } = await createTemplate(client, token)
    const rows = []
    for (let round = 0; round < ROUNDS; round += 1) rows.push(await issue(client, token, id))
    console.log(`\n${database}; the first round is that of a server that has just started`)
    console.table(rows)
    return Math.max(...rows.map((one) => one['all done, ms']))
  } finally {
    await client.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function issue(client: Client, token: string, credentialTemplateId: string) {
  const items: Json = Array.from({ length: ITEMS }, (_, n) => ({ attributes, reference: `student-${n}` }))
  const before = await countersOf(client)
  const from = performance.now()
  const accepted = await client.send('POST', PATH, { token, json: { credentialTemplateId, items } })
  const acceptedMs = performance.now() - from
  const id = text(accepted, 'data', 'id')
  // Polled: a long poll would answer up to 300 ms late.
  let state = ''
  while (!state.includes('"completed"')) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    state = JSON.stringify(await client.send('GET', `${PATH}?page[size]=1`, { token }))
  }
  const doneMs = performance.now() - from
  const after = await countersOf(client)
  if (!state.includes(id) || !state.includes(`"done":${ITEMS}`)) throw new Error(`not all were issued: ${state}`)
  return {
    'accepted, ms': Math.round(acceptedMs),
    'all done, ms': Math.round(doneMs),
    'CPU of the server, ms': Math.round((after.cpuSeconds - before.cpuSeconds) * 1000),
    statements: after.statements - before.statements,
  }
}
