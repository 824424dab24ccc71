import { type ChildProcess, execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap } from '../../bench/party.ts'
import { freePort } from '../../test/support/free-port.ts'
import { endChild, startChild } from '../../test/support/server-child.ts'
import { startBalancer } from './balancer.ts'

const PROGRAM = new URL('../../bin/chirograph.js', import.meta.url).pathname
/** Of deployments that last some minutes. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const COMMAND_MS_MAX = 600_000

/** Server processes on one database, behind a balancer. */
export type Fleet = {
  /** The public address. */
  readonly url: string
  /** The addresses of the servers. */
  readonly urls: readonly string[]
  /**
   * Stops one server by SIGTERM and starts another version of it, which is ready then.
   *
   * @param program See {@link startChild}.
   */
  readonly replace: (index: number, program?: string) => Promise<void>
  /** Stops all servers by SIGTERM. */
  readonly halt: () => Promise<void>
  /** Starts all servers again, on another database. */
  readonly startOn: (databaseUrl: string) => Promise<void>
  /** Runs a command with the settings of a server. @param databaseUrl By default that of the servers. */
  readonly command: (args: readonly string[], databaseUrl?: string) => Promise<Ran>
  readonly settings: Readonly<Record<string, string>>
  /** How many server processes ended by themselves. */
  readonly ended: () => number
  /** Ids of the server processes. */
  readonly pids: () => readonly number[]
  readonly stop: () => Promise<void>
}

/** A command that ended. */
export type Ran = { readonly status: number; readonly out: string; readonly err: string }

/** `logFile` takes the logs. `file`: the bootstrap file, by default one organisation. `settings`: further ones. */
type Manner = {
  readonly count: number
  readonly logFile: string
  readonly file?: object
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts servers. */
export async function startFleet(databaseUrl: string, manner: Manner): Promise<Fleet> {
  const { count, logFile, file = bootstrap, settings: further = {} } = manner
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-fleet-'))
  const bootstrapFile = join(folder, 'bootstrap.json')
  writeFileSync(bootstrapFile, JSON.stringify(file))
  const front = await freePort()
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const url = `http://127.0.0.1:${front}`
  let settings: Readonly<Record<string, string>> = {
    PUBLIC_URL: url,
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_FILE: bootstrapFile,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    DATABASE_POOL_MAX: '8',
    DRAIN_SECONDS: '2',
    MASTER_KEY,
    ...further,
  }
  const children: ChildProcess[] = []
  const start = async (index: number, program?: string) => {
    const port = String(ports[index])
    const log = (text: string) => appendFileSync(logFile, text)
    children[index] = await startChild(`http://127.0.0.1:${port}`, { ...settings, PORT: port }, log, program)
  }
  const startAll = async () => {
    for (const index of ports.keys()) await start(index)
  }
  await startAll()
  const balancer = await startBalancer(front, ports)
  return {
    url,
    get settings() {
      return settings
    },
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    replace: async (index, program) => {
      const child = children[index]
      if (child !== undefined) await endChild(child, 'SIGTERM')
      await start(index, program)
    },
    halt: async () => void (await Promise.all(children.map((child) => endChild(child, 'SIGTERM')))),
    startOn: async (another) => {
      settings = { ...settings, DATABASE_URL: another }
      await startAll()
    },
    command: (args, another = settings.DATABASE_URL ?? databaseUrl) =>
      run(args, { ...settings, DATABASE_URL: another, PORT: String(ports[0]) }),
    ended: () => children.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null).length,
    pids: () => children.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await balancer.close()
      await Promise.all(children.map((child) => endChild(child, 'SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function run(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  const options = { env: { PATH, HOME, ...settings }, timeout: COMMAND_MS_MAX, maxBuffer: 1 << 26 }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], options, (_, out, err) =>
      resolve({ status: child.exitCode ?? -1, out, err }),
    )
  })
}
