import type { ChildProcess } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap } from '../../bench/party.ts'
import { freePort } from '../../test/support/free-port.ts'
import { endChild, startChild } from '../../test/support/server-child.ts'
import { startBalancer } from './balancer.ts'

/** Server processes on one database, behind a balancer. */
export type Fleet = {
  /** The public address. */
  readonly url: string
  /** The addresses of the servers. */
  readonly urls: readonly string[]
  /** Stops one server by SIGTERM and starts another version of it, which is ready then. @param program See {@link startChild}. */
  readonly replace: (index: number, program?: string) => Promise<void>
  readonly settings: Readonly<Record<string, string>>
  /** How many server processes ended by themselves. */
  readonly ended: () => number
  readonly stop: () => Promise<void>
}

/** Starts `count` servers. Logs go to `logFile`. */
export async function startFleet(databaseUrl: string, count: number, logFile: string): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-fleet-'))
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const front = await freePort()
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const url = `http://127.0.0.1:${front}`
  const settings = {
    ...{ PUBLIC_URL: url, DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: file, DATABASE_URL: databaseUrl },
    ...{ LOG_LEVEL: 'warn', DATABASE_POOL_MAX: '8', DRAIN_SECONDS: '2' },
    // A statement that was sent to a silent host just before the standby is promoted waits that long.
    DATABASE_TIMEOUT_SECONDS: '8',
  }
  const children: ChildProcess[] = []
  const start = async (index: number, program?: string) => {
    const port = String(ports[index])
    const log = (text: string) => appendFileSync(logFile, text)
    children[index] = await startChild(`http://127.0.0.1:${port}`, { ...settings, PORT: port }, log, program)
  }
  // In turn: the first one makes the key of the data folder.
  for (const index of ports.keys()) await start(index)
  const balancer = await startBalancer(front, ports)
  return {
    url,
    settings,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    replace: async (index, program) => {
      const child = children[index]
      if (child !== undefined) await endChild(child, 'SIGTERM')
      await start(index, program)
    },
    ended: () => children.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null).length,
    stop: async () => {
      await balancer.close()
      await Promise.all(children.map((child) => endChild(child, 'SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
