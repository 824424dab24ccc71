import { mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type JsonObject, parseJsonObject } from '../crypto/json.ts'
import { randomId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Clock, JournalLine, RevocationJournal } from '../platform.ts'

/** A line of a journal, and where it is. */
export type PlacedLine = { readonly place: string; readonly line: JsonObject }

const FILE = /^\d{4}-\d{2}-\d{2}-[0-9a-f-]{36}\.jsonl$/

/**
 * Returns the journal in a folder. Each process writes a file of its own for each day, and another one after a failure, so servers may share a
 * folder, and folders of several servers may be copied together.
 */
export function openJournal(folder: string, clock: Clock): RevocationJournal {
  let name = randomId()
  let last: Promise<void> = Promise.resolve()
  const append = async (lines: readonly JournalLine[]) => {
    const path = join(folder, `${clock.now().toISOString().slice(0, 10)}-${name}.jsonl`)
    await mkdir(folder, { recursive: true })
    const file = await open(path, 'a', 0o600)
    try {
      await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await file.sync()
    } catch (error) {
      // It may end within a line, after which nothing may stand.
      name = randomId()
      throw new Fault('journal.unavailable', { cause: error })
    } finally {
      await file.close()
    }
  }
  return {
    isKept: true,
    append: (lines) => {
      if (lines.length === 0) return Promise.resolve()
      // One after another, so that lines of two callers are never mixed.
      const next = last.catch(() => undefined).then(() => append(lines))
      last = next
      return next
    },
  }
}

/**
 * Reads all lines of a journal, file by file. The last line of a file may be cut off, if its process died while it wrote; the caller of that
 * revocation got no answer.
 *
 * @throws Error if the folder cannot be read, or another line is not JSON
 */
export async function* readJournal(folder: string): AsyncGenerator<PlacedLine> {
  const names = (await namesIn(folder)).filter((name) => FILE.test(name)).sort()
  for (const name of names) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n')
    // After the last line break stands nothing, or what was cut off.
    for (const [at, text] of lines.slice(0, -1).entries())
      yield { place: `${name}:${at + 1}`, line: lineIn(text, `${name}:${at + 1}`) }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    throw new Error(`REVOCATION_JOURNAL ${folder} cannot be read (${code})`, { cause })
  }
}

/** Parses a line. @throws Error that names its place */
export function lineIn(text: string, place: string): JsonObject {
  try {
    return parseJsonObject(text)
  } catch (cause) {
    throw new Error(`the revocation journal cannot be read at ${place}`, { cause })
  }
}
