import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A PgBouncer of our own on a private port, in front of the server at `url`. */
export type PgBouncer = { readonly url: string; readonly stop: () => Promise<void> }

/** Whether the machine has a PgBouncer. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).error === undefined

function version(): number {
  const printed = spawnSync('pgbouncer', ['--version']).stdout.toString()
  return Number(/PgBouncer (\d+\.\d+)/.exec(printed)?.[1] ?? 0)
}

/** Starts a PgBouncer with the pool mode. It keeps no prepared statements. */
export async function startPgBouncer(url: string, mode: 'transaction' | 'session'): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-pgbouncer-'))
  const port = await freePort()
  const target = new URL(url)
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    // Unknown before 1.21, which keeps none.
    ...(version() >= 1.21 ? ['max_prepared_statements = 0'] : []),
    'default_pool_size = 10',
  ]
  writeFileSync(file, lines.join('\n'))
  const account = nobody(folder, file)
  const child = spawn('pgbouncer', [file], { ...account, cwd: folder, stdio: 'ignore' })
  await until(() => isListening(port))
  target.port = String(port)
  return {
    url: target.href,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PgBouncer refuses to run as root. */
function nobody(...paths: string[]): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  for (const path of paths) chownSync(path, 65_534, 65_534)
  return { uid: 65_534, gid: 65_534 }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
