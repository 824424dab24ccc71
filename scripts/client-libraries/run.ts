import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { type Case, casesFor, type Known, templateBody } from './cases.ts'
import { type Got, libraries, Program } from './library.ts'
import { openWire, type Wire } from './wire.ts'

/**
 * Drives one server with the HTTP libraries that applications use and prints, for each library and case, whether the
 * answer is the one that the API promises: `node scripts/client-libraries/run.ts [FOLDER [LIBRARY]]`. FOLDER keeps
 * what is installed for the next run.
 */
const HANG_MS = 5000
/** Java compiles its program first. */
const START_MS = 60_000

const [given, only = ''] = process.argv.slice(2)
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'chirograph-libraries-')) : resolve(given)
mkdirSync(folder, { recursive: true })
const data = mkdtempSync(join(tmpdir(), 'chirograph-libraries-data-'))
const secret = randomBytes(24).toString('hex')
const authorization = `Basic ${Buffer.from(`acme-backend:${secret}`).toString('base64')}`

type Cell = { readonly text: string; readonly isFault: boolean; readonly ms: number }
type Column = { readonly name: string; readonly version: string; readonly cells: readonly Cell[] }

const port = await freePort()
const wire = await openWire(port)
const server = await serve()
let faults = 0
try {
  const columns: Column[] = []
  for (const library of libraries.filter(({ name }) => name.includes(only))) {
    try {
      const version = library.install(folder)
      columns.push({ name: library.name, version, cells: await drive(new Program(library.command(folder))) })
    } catch (error) {
      console.log(`left out: ${library.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  faults = printTable(columns)
} finally {
  server.kill('SIGTERM')
  wire.close()
  rmSync(data, { recursive: true, force: true })
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
}
process.exitCode = faults === 0 ? 0 : 1

async function serve(): Promise<ChildProcess> {
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: wire.url,
    DATA_DIR: data,
    BOOTSTRAP_FILE: 'docs/bootstrap.example.json',
    ACME_BACKEND_SECRET: secret,
    LOG_LEVEL: 'warn',
  }
  const cwd = join(import.meta.dirname, '../..')
  const started = spawn(process.execPath, ['bin/chirograph.js', 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    if (response?.ok) return started
    if (started.exitCode !== null) break
    await pause(100)
  }
  started.kill('SIGKILL')
  throw new Error('the server did not become ready')
}

async function drive(program: Program): Promise<Cell[]> {
  const known: Known = { token: '', template: '', code: '', issuance: '', aTemplate: () => aTemplate(known.token) }
  const cells: Cell[] = []
  try {
    for (const one of casesFor(authorization)) {
      // Starts the program, again after a case that it did not survive, and is not measured.
      await program.send(asked({ path: '/healthz' }), START_MS)
      cells.push(await cellOf(program, one, known, wire))
    }
  } finally {
    program.end()
  }
  return cells
}

async function cellOf(program: Program, one: Case, known: Known, { takeSent, connections }: Wire): Promise<Cell> {
  const request = asked(await one.ask(known))
  takeSent()
  const before = connections()
  const from = performance.now()
  let got: Got = { kind: 'failed', why: 'not sent' }
  for (let times = 0; times < (one.times ?? 1); times += 1) got = await program.send(request, HANG_MS)
  const ms = Math.round(performance.now() - from)
  const [head = ''] = takeSent().split('\r\n\r\n', 1)
  if (got.kind === 'failed' && head === '') return { text: 'library cannot', isFault: false, ms: 0 }
  if (got.kind !== 'ok') return { text: `**${got.why.slice(0, 100)}**`, isFault: true, ms }
  const isAsked = head.startsWith(`${request.method} `) && (one.sent?.(head) ?? true)
  if (!isAsked) return { text: `library cannot (${sentInstead(head)}: ${got.status})`, isFault: got.status >= 500, ms }
  const isReused = one.times === undefined || connections() - before <= 1
  const isPromised = got.status === one.status && got.body.includes(one.has ?? '') && isReused
  if (isPromised) one.keep?.(got.body, known)
  return { text: isPromised ? `${got.status}` : `**${got.status}**, not ${one.status}`, isFault: !isPromised, ms }
}

function asked({ path, ...more }: Awaited<ReturnType<Case['ask']>>) {
  const none = { method: 'GET', headers: {}, sends: 'none' as const, body: Buffer.alloc(0), expects: false }
  return { ...none, ...more, url: wire.url + path }
}

/** What a library sent instead of the request of the case. */
function sentInstead(head: string): string {
  const [method] = head.split(' ', 1)
  const names = ['content-type', 'content-length', 'transfer-encoding', 'expect']
  const found = names.filter((name) => new RegExp(`^${name}:`, 'im').test(head))
  return `${method}${found.length === 0 ? '' : ` with ${found.join(', ')}`}`
}

async function aTemplate(token: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/creds/templates/credentials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: templateBody(),
  })
  const { data: made } = (await response.json()) as { readonly data: { readonly id: string } }
  return `/creds/templates/credentials/${made.id}`
}

/** @returns how many answers are not the promised ones */
function printTable(columns: readonly Column[]): number {
  const row = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`)
  for (const { name, version } of columns) console.log(`${name}: ${version}`)
  row(['case', ...columns.map(({ name }) => name), 'slowest, ms'])
  row(['---', ...columns.map(() => '---'), '---'])
  casesFor(authorization).forEach(({ name }, at) => {
    const cells = columns.map((column) => column.cells[at])
    row([name, ...cells.map((cell) => cell?.text ?? ''), String(Math.max(...cells.map((cell) => cell?.ms ?? 0)))])
  })
  const all = columns.flatMap(({ cells }) => cells)
  const found = all.filter(({ isFault }) => isFault).length
  const slowest = Math.max(...all.map(({ ms }) => ms))
  console.log(`${all.length} answers, ${found} of them not promised, the slowest after ${slowest} ms`)
  return found
}
