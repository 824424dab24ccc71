// What do traces and metrics for OpenTelemetry cost? Run: node bench/telemetry.ts [--rounds 6] [--seconds 4]
// Two servers, each with a database on one PostgreSQL, one of them with OTEL_EXPORTER_OTLP_ENDPOINT, are measured in
// turn. They, the client and the collector, which reads all and keeps nothing, are processes of their own; the CPU of
// the servers is measured: what is on costs the difference.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../demo/server-process.ts'
import { onServer } from '../test/support/citus.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { cryptoFloorMs } from './crypto-floor.ts'
import { type Client, type Load, measure, openClient } from './measure.ts'
import { bootstrap } from './party.ts'
import { questions } from './questions.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, seconds: { type: 'string', default: '4' } },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const WARM_UP_SECONDS = 10

const COLLECTOR = `
  const server = require('node:http').createServer((request, response) => request.resume().once('end', () => response.end('{}')))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify(bootstrap))
const collector = spawn(process.execPath, ['--eval', COLLECTOR], { stdio: ['ignore', 'pipe', 'inherit'] })
const [port] = await once(collector.stdout, 'data')
const postgres = await startPostgres({ durable: true })
const common = { DATA_DIR: folder, BOOTSTRAP_FILE: file, DRAIN_SECONDS: '0' }
const off = await startServer({ ...common, DATABASE_URL: postgres.url })
const other = new URL(postgres.url)
other.pathname = '/traced'
await onServer(postgres.url, 'create database traced')
const on = await startServer({
  ...common,
  DATABASE_URL: other.href,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port).trim()}`,
})

/** A server and its load. */
type Side = { readonly client: Client; readonly load: Load }

async function sideOf(url: string): Promise<Side> {
  const client = openClient([url], 32)
  for await (const { load } of questions(client, seconds)) return { client, load }
  throw new Error('there is no question')
}

const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN

const sides = { off: await sideOf(off.url), on: await sideOf(on.url) }
const found: Record<keyof typeof sides, number[]> = { off: [], on: [] }
for (const { client, load } of Object.values(sides)) await measure(client, load, WARM_UP_SECONDS)
for (let round = 0; round < rounds; round += 1) {
  for (const name of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
    const { cpuMs, flows } = await measure(sides[name].client, sides[name].load, seconds)
    found[name].push(cpuMs)
    console.log(`${name.padEnd(4)} ${cpuMs.toFixed(3)} ms of CPU an issuance, ${flows} issuances`)
  }
}
const differences = found.on.map((ms, at) => ms - (found.off[at] ?? Number.NaN))
const [without, more] = [middle(found.off), middle(differences)]
console.log(`off ${without.toFixed(3)} ms; on ${more.toFixed(3)} ms more (${((100 * more) / without).toFixed(0)} %)`)
console.log(`crypto floor of one issuance: ${cryptoFloorMs().toFixed(3)} ms`)
for (const { client } of Object.values(sides)) await client.close()
for (const one of [off, on]) await one.stop()
await postgres.stop()
collector.kill()
rmSync(folder, { recursive: true, force: true })
