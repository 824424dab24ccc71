import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, postgresUrl } from '../test/support/database.ts'
import { freePort } from '../test/support/round-robin.ts'

/**
 * Executes every shell block of README.md but the two that `.ci/run` executes as they stand. A block that ends in `npm start` is started, and stays up
 * for the block after it. Only what cannot exist elsewhere is replaced: the database of the example, the port, the data folder.
 * Needs TEST_POSTGRES_URL (`npm run readme` sees to it).
 */
const executedByCi = ['npm ci && npm run demo', 'npm ci && npm test']
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) =>
  text.trim(),
)
const missing = executedByCi.filter((command) => !blocks.includes(command))
if (missing.length > 0) throw new Error(`the README lacks ${missing.join(' and ')}`)
if (postgresUrl === null) throw new Error('TEST_POSTGRES_URL is not set')

const folder = mkdtempSync(join(tmpdir(), 'chirograph-readme-'))
const secret = randomBytes(32).toString('hex')
const port = String(await freePort())
const env: Record<string, string | undefined> = {
  ...process.env,
  PORT: port,
  DATA_DIR: folder,
  LOG_LEVEL: 'warn',
  ACME_BACKEND_SECRET: secret,
}
const database = await createDatabase(postgresUrl)
let stopServer = async () => {}
try {
  for (const block of blocks.filter((one) => !executedByCi.includes(one))) {
    const lines = replaced(block).split('\n')
    if (lines.at(-1) === 'npm start') {
      await stopServer()
      stopServer = await serve(lines)
    } else {
      await run(lines)
    }
    console.log(`ok: ${block.split('\n').at(-1)}`)
  }
} finally {
  await stopServer()
  rmSync(folder, { recursive: true, force: true })
}

function replaced(block: string): string {
  return (
    block
      .replaceAll('http://localhost:8080', `http://localhost:${port}`)
      .replace(/^export DATABASE_URL=.*$/m, `export DATABASE_URL='${database}'`)
      // Two terminals of the README are two shells here: what one exports the other is given.
      .replace('"$(openssl rand -hex 32)"', secret)
  )
}

/** Starts a server by a block and waits until it is ready. */
async function serve(lines: readonly string[]): Promise<() => Promise<void>> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', [...lines.slice(0, -1), 'exec npm start'].join('\n')], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()))
  const stop = async () => {
    // npm, its shell and the server are one group.
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGTERM')
    await ended
  }
  for (let tries = 0; tries < 300; tries += 1) {
    const isReady = await fetch(`http://localhost:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return stop
    if (shell.exitCode !== null) throw new Error(`the server ended with ${shell.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop()
  throw new Error('the server did not become ready')
}

/** Runs the commands of a block. `curl` fails on a status that is no success. */
async function run(lines: readonly string[]): Promise<void> {
  const commands = lines.map((line) => line.replace(/^curl /, 'curl --fail '))
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const status = await new Promise<number>((resolve) => shell.once('exit', (code) => resolve(code ?? 1)))
  if (status !== 0) throw new Error(`failed with ${status}: ${lines.join('; ')}`)
}
