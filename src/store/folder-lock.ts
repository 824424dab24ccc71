import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes the data folder for this process, because two processes on one embedded database destroy it.
 * A lock whose process is gone is taken over; the start time keeps a reused process id from looking alive.
 *
 * @returns what gives the folder back.
 * @throws Error that names the folder and the process that holds it.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const mine = describe(process.pid)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (tryWrite(path, mine)) return () => rmSync(path, { force: true })
    const holder = read(path)
    if (holder !== null && holder !== mine && isAlive(holder)) {
      throw new Error(
        `${folder} is in use by process ${holder.split(' ')[0]}: stop that one, or give this one another DATA_DIR, or use PostgreSQL (DATABASE_URL) for several processes`,
      )
    }
    setAside(path)
  }
  throw new Error(`${folder} could not be locked: another process is starting on it`)
}

function tryWrite(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
}

/** Renaming is atomic: of two processes that find the same stale lock only one moves it, and both then race for `wx`. */
function setAside(path: string): void {
  const aside = `${path}.stale-${process.pid}`
  try {
    renameSync(path, aside)
    rmSync(aside, { force: true })
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ')[0])
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
  }
  return describe(pid) === holder
}

/** The process id and, where the system tells it, when that process started. */
function describe(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 22 is the start time; the name in field 2 may hold spaces, so count from behind it.
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${pid} ${started}`
  } catch {
    // Systems without /proc: the process id alone has to do.
    return `${pid}`
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
