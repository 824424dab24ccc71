import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, dropDatabase, postgresUrl } from './database.ts'
import { layTemplate } from './embedded-template.ts'
import { freePort } from './free-port.ts'
import { roundRobin } from './round-robin.ts'
import { endChild, startChild } from './server-child.ts'

/** One deployment of server processes: on PostgreSQL two on one database, else one on an embedded database. */
export type ServerChildren = {
  /** The public address. On PostgreSQL a proxy sends each request to the next process. */
  readonly url: string
  /**
   * The addresses of the processes themselves, at least two entries: on the embedded database all are the one process.
   */
  readonly urls: readonly [string, string]
  /** Of their PostgreSQL database; null: it is embedded. */
  readonly databaseUrl: string | null
  /** What the processes have logged so far. */
  readonly log: () => string
  /** What the processes have said to people so far, on standard error. */
  readonly told: () => string
  /** Ends a process without warning. */
  readonly kill: (index: 0 | 1) => Promise<void>
  readonly start: (index: 0 | 1) => Promise<void>
  readonly stop: () => Promise<void>
}

/** @param bootstrap Contents of the bootstrap file; without it the deployment has none. */
export async function serverChildren(
  bootstrap: object | null,
  env: Record<string, string> = {},
): Promise<ServerChildren> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-children-'))
  const file = join(folder, 'bootstrap.json')
  if (bootstrap !== null) writeFileSync(file, JSON.stringify(bootstrap))
  const database: { DATABASE_URL?: string } =
    postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  if (postgresUrl === null) await layTemplate(join(folder, 'data'))
  const front = await freePort()
  const ports = postgresUrl === null ? [front] : [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${front}`
  const common = {
    PUBLIC_URL: url,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    DATABASE_POOL_MAX: '5',
    ...(bootstrap !== null && { BOOTSTRAP_FILE: file }),
    ...database,
    ...env,
  }
  let logged = ''
  let told = ''
  // What they log as errors is shown too.
  const log = (text: string, stream: 'stdout' | 'stderr') => {
    if (stream === 'stderr') {
      told += text
      process.stderr.write(text)
      return
    }
    logged += text
    if (common.LOG_LEVEL === 'error') process.stdout.write(text)
  }
  const addressOf = (index: 0 | 1) => `http://127.0.0.1:${ports[index] ?? front}`
  const children: ChildProcess[] = []
  const start = async (index: 0 | 1) => {
    children[index] = await startChild(addressOf(index), { ...common, PORT: new URL(addressOf(index)).port }, log)
  }
  // In turn: the first makes the key of the data folder.
  for (const index of [0, 1] as const) if (index < ports.length) await start(index)
  const proxy = postgresUrl === null ? null : await roundRobin(front, ports)
  const end = async (index: 0 | 1) => {
    const child = children[index < ports.length ? index : 0]
    if (child !== undefined) await endChild(child, 'SIGKILL')
  }
  return {
    url,
    urls: [addressOf(0), addressOf(1)],
    databaseUrl: database.DATABASE_URL ?? null,
    log: () => logged,
    told: () => told,
    kill: end,
    start: (index) => start(index < ports.length ? index : 0),
    stop: async () => {
      await proxy?.close()
      for (const index of children.keys()) await end(index === 0 ? 0 : 1)
      if (database.DATABASE_URL !== undefined) await dropDatabase(database.DATABASE_URL)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
