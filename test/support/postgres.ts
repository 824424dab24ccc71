import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** A PostgreSQL server of our own: private folder, private port, loopback only, not root. */
export type PostgresServer = {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Ends it without warning, as a machine that fails. */
  readonly kill: () => void
  /** Starts it again after it was killed, with what it had written. */
  readonly restart: () => Promise<void>
  /** Removes the folder of a server that was killed. */
  readonly clear: () => void
}

/** How long a server may take until it answers, on a machine that does much besides. */
const READY_MS_MAX = 120_000
const ENDED_MS = 2000
const HOMES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/pgsql']

/** Folder of the server's programs, or null when the machine has none. */
export function findPostgres(): string | null {
  const path = (process.env.PATH ?? '').split(':')
  const versioned = HOMES.filter(existsSync).flatMap((home) => readdirSync(home).map((one) => join(home, one, 'bin')))
  const folders = [...versioned.sort().reverse(), ...path]
  return folders.find((one) => existsSync(join(one, 'initdb')) && existsSync(join(one, 'postgres'))) ?? null
}

/**
 * `durable`: with fsync, as in real use; off by default. `tls`: PEM of its certificate and key for TLS. `standbyOf`:
 * URL of the server whose hot standby it is. `restoredFrom`: a base backup, which it takes over. `port`: by default a
 * free one. `settings`: others, each `name=value`.
 */
type Manner = {
  readonly durable?: boolean
  readonly tls?: { readonly certificate: string; readonly key: string }
  readonly standbyOf?: string
  readonly restoredFrom?: string
  readonly port?: number
  readonly settings?: readonly string[]
}

/** Starts a server. */
export async function startPostgres({
  durable = false,
  tls,
  standbyOf,
  restoredFrom,
  port: wanted,
  settings = [],
}: Manner = {}): Promise<PostgresServer> {
  const bin = findPostgres()
  if (bin === null) throw new Error('no PostgreSQL server programs found: install the package postgresql')
  const folder = restoredFrom ?? mkdtempSync(join(tmpdir(), 'chirograph-pg-'))
  const who = ownerOf(folder)
  const data = join(folder, 'data')
  if (restoredFrom === undefined) {
    mkdirSync(data, { mode: 0o700 })
    if (who.uid !== undefined) chownSync(data, who.uid, who.gid ?? who.uid)
    const [program, ...options] =
      standbyOf === undefined
        ? ['initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C']
        : ['pg_basebackup', '-D', data, '-d', standbyOf, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    const made = spawnSync(join(bin, program ?? ''), options, { ...who, cwd: folder })
    if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}`)
  }
  const port = wanted ?? (await freePort())
  const own = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'max_connections=200']
  const fast = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  const options = [...own, ...fast, ...settings].flatMap((one) => ['-c', one])
  const args = ['-D', data, '-p', String(port), ...options, ...(tls === undefined ? [] : showing(tls, folder, who))]
  const run = () => spawn(join(bin, 'postgres'), args, { ...who, cwd: folder, stdio: 'ignore' })
  let server = run()
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  await untilReady(join(bin, 'pg_isready'), port)
  const clear = () => rmSync(folder, { recursive: true, force: true })
  return {
    url,
    stop: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await gone
      clear()
    },
    // Its processes end themselves when the first one is gone.
    kill: () => server.kill('SIGKILL'),
    restart: async () => {
      // The processes of the one that was killed hold its memory until they have ended.
      await pause(ENDED_MS)
      server = run()
      await untilReady(join(bin, 'pg_isready'), port)
    },
    clear,
  }
}

/** Takes a base backup with its WAL while the server works. @returns the folder for `restoredFrom` */
export async function takeBaseBackup(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-pg-'))
  const options = ['-D', join(folder, 'data'), '-d', url, '-X', 'stream', '-c', 'fast', '--no-sync']
  await promisify(execFile)(join(findPostgres() ?? '', 'pg_basebackup'), options, { ...ownerOf(folder), cwd: folder })
  return folder
}

type Account = { readonly uid?: number; readonly gid?: number }

function showing({ certificate, key }: NonNullable<Manner['tls']>, folder: string, { uid, gid }: Account): string[] {
  const files = { ssl_cert_file: certificate, ssl_key_file: key }
  const settings = Object.entries(files).flatMap(([setting, pem]) => {
    const path = join(folder, setting)
    // it refuses a key that others can read
    writeFileSync(path, pem, { mode: 0o600 })
    if (uid !== undefined) chownSync(path, uid, gid ?? uid)
    return ['-c', `${setting}=${path}`]
  })
  return ['-c', 'ssl=on', ...settings]
}

/** PostgreSQL refuses to run as root: then the account that Debian made for it, or `nobody`, owns the folder. */
function ownerOf(folder: string): Account {
  if (process.getuid?.() !== 0) return {}
  const found = spawnSync('id', ['-u', 'postgres'])
  const uid = found.status === 0 ? Number(found.stdout.toString()) : 65_534
  const gid = found.status === 0 ? Number(spawnSync('id', ['-g', 'postgres']).stdout.toString()) : 65_534
  chownSync(folder, uid, gid)
  return { uid, gid }
}

async function untilReady(program: string, port: number): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < READY_MS_MAX; ) {
    if (spawnSync(program, ['-h', '127.0.0.1', '-p', String(port), '-q']).status === 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('PostgreSQL did not become ready')
}
