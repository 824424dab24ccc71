import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyDatabase, createDatabase, dropDatabase, postgresUrl } from './database.ts'
import { layTemplate } from './embedded-template.ts'
import { freePort } from './free-port.ts'
import { type Api, api, backendSecret } from './server.ts'

/**
 * How long a process may take until it is ready, on a machine that does much besides. One that ends is noticed at once.
 */
const READY_MS_MAX = 120_000
const POLL_MS = 50

const entry = fileURLToPath(new URL('../../bin/chirograph.js', import.meta.url))

/** A server in a process of its own, for tests that end it; started again it finds its data and its address. */
export type ServerChild = {
  readonly url: string
  readonly start: () => Promise<void>
  /** @returns the exit status, null when a signal ended it. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>
  /** A caller with everything of the tenant acme. A dead server makes its posts reject with `gone`. */
  readonly backend: () => Promise<Api>
  readonly wallet: (username: string) => Promise<Api>
  readonly remove: () => Promise<void>
  /** Runs one command of the command line with the settings of the server, to its end. */
  readonly command: (
    ...args: string[]
  ) => Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>
  /** Keeps a copy of the database of the ended server. @returns puts the copy back in place of the database */
  readonly backUp: () => Promise<() => Promise<void>>
}

const bootstrap = {
  tenants: [
    {
      slug: 'acme',
      name: 'Acme',
      clients: [
        { clientId: 'acme-backend', clientSecret: backendSecret, scopes: ['tenant:admin', 'users:impersonate'] },
      ],
      users: [{ username: 'thandi', enabled: true }],
    },
  ],
}

/**
 * Prepares a server on the database that the run was given, and starts it.
 *
 * @param further Settings besides those that it needs.
 */
export async function serverChild(further: Readonly<Record<string, string>> = {}): Promise<ServerChild> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-child-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const database: { DATABASE_URL?: string } =
    postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  if (postgresUrl === null) await layTemplate(join(folder, 'data'))
  const settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_FILE: file,
    DRAIN_SECONDS: '1',
    ...further,
    LOG_LEVEL: 'error',
    ...database,
  }
  let child = await startChild(url, settings)
  const client = { client_id: 'acme-backend', client_secret: backendSecret }
  const backend = async () => {
    const { body } = await api(url, null).form('/auth/token', { grant_type: 'client_credentials', ...client })
    return orGone(api(url, body.access_token))
  }
  return {
    url,
    start: async () => {
      child = await startChild(url, settings)
    },
    end: (signal) => endChild(child, signal),
    backend,
    wallet: async (username) => {
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        requested_subject: username,
      }
      const subject_token = (await backend()).token ?? ''
      const { body } = await api(url, null).form('/auth/token', { ...form, ...client, subject_token })
      return orGone(api(url, body.access_token))
    },
    remove: async () => {
      await endChild(child, 'SIGKILL')
      if (database.DATABASE_URL !== undefined) await dropDatabase(database.DATABASE_URL)
      rmSync(folder, { recursive: true, force: true })
    },
    command: (...args) => runCommand(args, settings),
    backUp: async () => {
      const copy = join(folder, 'backup')
      if (database.DATABASE_URL !== undefined) return copyDatabase(database.DATABASE_URL)
      cpSync(settings.DATA_DIR, copy, { recursive: true })
      return async () => {
        rmSync(settings.DATA_DIR, { recursive: true })
        cpSync(copy, settings.DATA_DIR, { recursive: true })
      }
    },
  }
}

function runCommand(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [entry, ...args], { env: { PATH, HOME, ...settings } })
  const read = { out: '', err: '' }
  child.stdout.on('data', (bytes: Buffer) => {
    read.out += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    read.err += bytes.toString()
  })
  return new Promise<{ status: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (status) => resolve({ status, ...read }))
  })
}

/** A dead server is no wrong answer. */
function orGone(known: Api): Api {
  return { ...known, post: (...ask) => known.post(...ask).catch(() => Promise.reject(new Error('gone'))) }
}

/**
 * Starts a server process and waits until it is ready.
 *
 * @param log Takes what it logs, and on `stderr` what it says to people; by default the test's own output does.
 * @param program Its `bin/chirograph.js`; by default that of this checkout.
 */
export async function startChild(
  url: string,
  settings: Record<string, string>,
  log?: (text: string, stream: 'stdout' | 'stderr') => void,
  program = entry,
): Promise<ChildProcess> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', ...(log === undefined ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const))],
  })
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => log?.(text, stream))
  for (const begun = Date.now(); Date.now() - begun < READY_MS_MAX; ) {
    const isReady = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    assert.equal(child.exitCode, null, 'the server ended instead of starting')
    if (isReady) return child
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  await endChild(child, 'SIGKILL')
  return assert.fail('the server did not become ready')
}

/** Ends a server process. @returns its exit status, null when a signal ended it. */
export async function endChild(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return gone
}
