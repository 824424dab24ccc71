import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** Bytes that must be free there, and in the memory of the machine: a run needs 4 GB at most. */
const FREE_MIN = 6e9

/**
 * Makes the folder in which a run of tests keeps all its files, as the folder of temporary files of every process of
 * the run; it is removed when this process ends. In memory where there is plenty: tests copy, write and remove a
 * database each, which on a disk costs more CPU than opening it, and much time.
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'chirograph-tests-'))
  // A database server runs under an account of its own.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return folder
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY) || process.availableMemory() < FREE_MIN) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= FREE_MIN
}
