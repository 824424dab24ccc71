// How long do a table of 10,000 rows and 1,000 letters take, and what do others notice? Run: node bench/letters.ts
// Server, client and PostgreSQL are processes of their own (fsync on). 1,000 letters in more than 10 s, or others who
// wait more than twice as long meanwhile, are a failure.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { read, text } from '../demo/json.ts'
import { startServer } from '../demo/server-process.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { openClient } from './measure.ts'
import { backendToken, bootstrap, createTemplate } from './party.ts'

const PATH = '/creds/credentials/issuance/batch'
const LETTERS = 1000
const ROWS = 10_000
const BUDGET_MS = 10_000
const QUIET_MS = 8000
const NAMES = ['Thandi Molefe', 'محمد علي بن أحمد', 'יוסף בן דוד', '李小龙', '高橋さくら', '김민수', 'Łukasz Żółć']

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`)
const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify(bootstrap))
const server = await startServer({
  DATA_DIR: join(folder, 'data'),
  BOOTSTRAP_FILE: file,
  DATABASE_URL: postgres.url,
})
const client = openClient([server.url], 4)
try {
  const token = await backendToken(client)
  const { id } = await createTemplate(client, token)
  const other = () => timed(() => client.send('GET', `/creds/templates/credentials/${id}`, { token }))
  await p99Of(other, async () => new Promise((resolve) => setTimeout(resolve, 1000)))
  const quiet = await p99Of(other, () => new Promise((resolve) => setTimeout(resolve, QUIET_MS)))
  const small = await issued(token, id, LETTERS)
  let [pages, bytes] = [0, 0]
  const letters = await p99Of(other, async () => {
    const answer = await fetch(`${server.url}${PATH}/${small.batch}/items`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/pdf' },
    })
    const pdf = Buffer.from(await answer.arrayBuffer())
    bytes = pdf.length
    pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
  })
  const table = await p99Of(other, async () => {
    const { acceptedMs, doneMs } = await issued(token, id, ROWS)
    console.log(`${ROWS} rows: accepted in ${acceptedMs} ms, all issued after ${doneMs} ms`)
  })
  console.log(`${pages} letters of ${bytes} bytes in ${letters.ms} ms`)
  console.log(
    `p99 of others: quiet ${quiet.p99} ms, during letters ${letters.p99} ms, during the table ${table.p99} ms`,
  )
  if (pages !== LETTERS || letters.ms > BUDGET_MS || letters.p99 > 2 * quiet.p99) process.exitCode = 1
} finally {
  await client.close()
  await server.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function issued(token: string, template: string, rows: number) {
  const claims = Array.from({ length: 10 }, (_, at) => `claim_${at}`)
  const lines = Array.from({ length: rows }, (_, at) => {
    const name = `${NAMES[at % NAMES.length]} ${at}`
    return [...claims.map((_claim, column) => (column === 0 ? name : `value ${column}`)), name].join(',')
  })
  const query = new URLSearchParams({ credentialTemplateId: template, keep: '["claim_0","reference"]' })
  const from = performance.now()
  const answer = await fetch(`${server.url}${PATH}?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: [[...claims, 'reference'].join(','), ...lines].join('\n'),
  })
  if (answer.status !== 202) throw new Error(await answer.text())
  const accepted = read(await answer.text())
  const acceptedMs = Math.round(performance.now() - from)
  const batch = text(accepted, 'data', 'id')
  let state = ''
  while (!state.includes('"completed"')) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    state = JSON.stringify(await client.send('GET', `${PATH}?page[size]=1`, { token }))
  }
  return { batch, acceptedMs, doneMs: Math.round(performance.now() - from) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Calls `other` every 5 ms while `work` runs. @returns the time of the work, and the p99 of the others, in ms */
async function p99Of(other: () => Promise<number>, work: () => Promise<unknown>) {
  const times: Promise<number>[] = []
  const timer = setInterval(() => times.push(other()), 5)
  const ms = Math.round(await timed(work))
  clearInterval(timer)
  const sorted = (await Promise.all(times)).toSorted((a, b) => a - b)
  return { ms, p99: Math.round((sorted[Math.floor(sorted.length * 0.99)] ?? 0) * 10) / 10 }
}
