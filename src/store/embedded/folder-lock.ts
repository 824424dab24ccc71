import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long to wait for a process that may be ending, before the folder is refused. */
const WAIT_MS_MAX = 3000
const POLL_MS = 100

/**
 * Locks the data folder for this process, because two processes on one embedded database destroy it. A lock of a
 * process that has ended is taken over; the start time distinguishes a reused process id. Waits for the holder, since
 * it may be ending.
 *
 * @returns a function that releases the lock.
 * @throws Error that names the folder and the process that holds it.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const own = describe(process.pid) ?? `${process.pid}`
  const deadline = performance.now() + WAIT_MS_MAX
  for (let attempt = 0; attempt < 3; ) {
    if (tryWrite(path, own)) return () => rmSync(path, { force: true })
    const holder = read(path)
    if (holder === null || holder === own || !isAlive(holder)) {
      setAside(path)
      attempt += 1
    } else if (performance.now() < deadline) await sleep(POLL_MS)
    else {
      throw new Error(
        `${folder} is in use by process ${holder.split(' ')[0]}: stop that process, set another DATA_DIR, or use PostgreSQL (DATABASE_URL) for several processes`,
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

/** Removes a stale lock. Renaming is atomic: of two processes only one moves it, and both then race for `wx`. */
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

/** Returns the process id and, where /proc exists, its start time. @returns null for a zombie */
function describe(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 3 is the state and field 22 the start time, counted from the end of field 2, a name that may contain
    // spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${pid} ${fields[19]}`
  } catch {
    // Without /proc there is no start time.
    return `${pid}`
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
