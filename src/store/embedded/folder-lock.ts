import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that was killed may take this long to end: it is waited for before the folder is refused. */
const WAIT_MS_MAX = 3000
const LOOK_MS = 100

/**
 * Takes the data folder for this process, because two processes on one embedded database destroy it.
 * A lock whose process is gone is taken over; the start time keeps a reused process id from looking alive. A process that holds the folder
 * is waited for, since it may be ending.
 *
 * @returns what gives the folder back.
 * @throws Error that names the folder and the process that holds it.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const mine = describe(process.pid) ?? `${process.pid}`
  const deadline = performance.now() + WAIT_MS_MAX
  for (let attempt = 0; attempt < 3; ) {
    if (tryWrite(path, mine)) return () => rmSync(path, { force: true })
    const holder = read(path)
    if (holder === null || holder === mine || !isAlive(holder)) {
      setAside(path)
      attempt += 1
    } else if (performance.now() < deadline) await sleep(LOOK_MS)
    else {
      throw new Error(
        `${folder} is in use by process ${holder.split(' ')[0]}: stop that one, or give this one another DATA_DIR, or use PostgreSQL (DATABASE_URL) for several processes`,
      )
    }
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

/** The process id and, where the system tells it, when that process started. @returns null for one that has ended and was not waited for */
function describe(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 3 is the state and field 22 the start time; the name in field 2 may hold spaces, so count from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${pid} ${fields[19]}`
  } catch {
    // Systems without /proc: the process id alone has to do.
    return `${pid}`
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
