import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, postgresUrl } from '../test/support/database.ts'
import { freePort } from '../test/support/free-port.ts'

/**
 * Executes every shell block of README.md and docs/quickstart.md but the two that `.ci/run` executes. A block that ends
 * in `npm start` starts a server for the blocks after it, which share one shell. Only the database, the port and the
 * data folder are replaced. Requires TEST_POSTGRES_URL (`npm run readme` sets it).
 */
const executedByCi = ['npm ci && npm run demo', 'npm ci && npm test']
const documents = ['README.md', 'docs/quickstart.md']

const blocksOf = (document: string) =>
  [...readFileSync(document, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text.trim())
const missing = executedByCi.filter((command) => !blocksOf('README.md').includes(command))
if (missing.length > 0) throw new Error(`the README lacks ${missing.join(' and ')}`)
if (postgresUrl === null) throw new Error('TEST_POSTGRES_URL is not set')

const folder = mkdtempSync(join(tmpdir(), 'chirograph-readme-'))
const port = String(await freePort())
const database = await createDatabase(postgresUrl)
try {
  for (const document of documents) await tryDocument(document)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Session = { readonly start: string; readonly after: string[] }

async function tryDocument(document: string): Promise<void> {
  const env = {
    ...process.env,
    PORT: port,
    DATA_DIR: join(folder, document.replaceAll('/', '-')),
    TMPDIR: folder,
    LOG_LEVEL: 'warn',
  }
  for (const { start, after } of sessionsOf(document)) {
    const server = await serve(start, env)
    try {
      // Twice: the commands can be repeated.
      for (const _ of [1, 2]) if (after.length > 0) await run(after.join('\n'), env)
    } finally {
      await stop(server)
    }
    console.log(`ok: ${document}, ${1 + after.length} blocks`)
  }
}

/** Each block that starts a server, with the blocks that use it. */
function sessionsOf(document: string): Session[] {
  const sessions: Session[] = []
  for (const block of blocksOf(document).filter((one) => !executedByCi.includes(one))) {
    if (block.endsWith('npm start')) sessions.push({ start: replaced(block), after: [] })
    else sessions.at(-1)?.after.push(replaced(block))
  }
  return sessions
}

function replaced(block: string): string {
  return block
    .replaceAll('http://localhost:8080', `http://localhost:${port}`)
    .replace(/^export DATABASE_URL=.*$/m, `export DATABASE_URL='${database}'`)
    .replaceAll('data/acme-secret', join(folder, 'acme-secret'))
}

type Env = Readonly<Record<string, string | undefined>>

/** Starts a server by a block and waits until it is ready. */
async function serve(block: string, env: Env): Promise<ChildProcess> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', block.replace(/npm start$/, 'exec npm start')], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isReady()) return shell
    if (shell.exitCode !== null) throw new Error(`the server ended with ${shell.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop(shell)
  throw new Error('the server did not become ready')
}

/** Signals npm alone, as a supervisor does; the server must stop with it. */
async function stop(shell: ChildProcess): Promise<void> {
  if (shell.exitCode === null) {
    const ended = new Promise((resolve) => shell.once('exit', resolve))
    shell.kill('SIGTERM')
    await ended
  }
  if (await isReady()) throw new Error('the server outlived npm start')
}

function isReady(): Promise<boolean> {
  return fetch(`http://localhost:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Runs commands in one shell. `curl` fails on error statuses. */
async function run(commands: string, env: Env): Promise<void> {
  const script = commands.replaceAll(/\bcurl -s /g, 'curl --fail -s ')
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const status = await new Promise<number>((resolve) => shell.once('exit', (code) => resolve(code ?? 1)))
  if (status !== 0) throw new Error(`failed with ${status}:\n${commands}`)
}
