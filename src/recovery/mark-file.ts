import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isJsonObject, parseJson } from '../crypto/json.ts'
import { isWrittenUuid } from '../uuid.ts'
import type { Beat } from './deployment-store.ts'
import { syncFolder } from './outside-disk.ts'

/** What a server last wrote outside the database. `at`: when, ISO 8601. */
export type RecoveryMark = Beat & { readonly at: string }

/**
 * Returns the mark; null if there is no file yet.
 *
 * @throws Error that names the setting, if the file cannot be read or is no mark
 */
export async function readMarkFile(path: string): Promise<RecoveryMark | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    if (code === 'ENOENT') return null
    throw new Error(`RECOVERY_MARK ${path} cannot be read (${code})`, { cause })
  }
  const mark = markIn(text)
  if (mark === null) throw new Error(`RECOVERY_MARK ${path} is not a recovery mark: name another file`)
  return mark
}

/** Replaces the mark. A crash at any moment leaves the former mark or this one. */
export async function writeMarkFile(path: string, mark: RecoveryMark): Promise<void> {
  const next = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(mark)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
  await syncFolder(dirname(path))
}

/** Reads a mark; null if the text is none. */
export function markIn(text: string): RecoveryMark | null {
  try {
    const value = parseJson(text)
    if (!isJsonObject(value)) return null
    const { deployment, beat, at } = value
    if (typeof deployment !== 'string' || !isWrittenUuid(deployment)) return null
    if (!Number.isSafeInteger(beat) || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return null
    return { deployment, beat: beat as number, at }
  } catch {
    return null
  }
}
