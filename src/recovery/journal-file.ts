import { createReadStream } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type JsonObject, parseJsonObject } from '../crypto/json.ts'
import { randomId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Clock, JournalLine, RevocationJournal } from '../platform.ts'
import { limitedWrites, syncFolder, WRITE_MS_MAX } from './outside-disk.ts'

/** A line of a journal, and where it is. */
export type PlacedLine = { readonly place: string; readonly line: JsonObject }

const FILE = /^\d{4}-\d{2}-\d{2}-[0-9a-f-]{36}\.jsonl$/

/**
 * Returns the journal in a folder. Each process writes a file of its own for each day, and another one after a failure,
 * so servers may share a folder, and folders of several servers may be copied together.
 */
export function openJournal(folder: string, clock: Clock, msMax = WRITE_MS_MAX): RevocationJournal {
  let name = randomId()
  /** The file whose name is on the disk. */
  let synced = ''
  const limited = limitedWrites(folder, msMax)
  let last: Promise<void> = Promise.resolve()
  const write = async (path: string, lines: readonly JournalLine[]) => {
    if ((await mkdir(folder, { recursive: true })) !== undefined) await syncFolder(dirname(folder))
    const file = await open(path, 'a', 0o600)
    try {
      await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    if (path !== synced) await syncFolder(folder)
    synced = path
  }
  const append = async (lines: readonly JournalLine[]) => {
    const path = join(folder, `${clock.now().toISOString().slice(0, 10)}-${name}.jsonl`)
    try {
      await limited(() => write(path, lines))
    } catch (error) {
      // It may end within a line, after which nothing may stand.
      name = randomId()
      throw new Fault('journal.unavailable', { cause: error })
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
 * Reads the lines of a journal, file by file, from the files of the day of `since` on; one line at a time is in memory.
 * The last line of a file may be cut off, if its process died while it wrote; the caller of that revocation got no
 * answer.
 *
 * @throws Error if the folder cannot be read, or another line is not JSON
 */
export async function* readJournal(folder: string, since: Date): AsyncGenerator<PlacedLine> {
  const day = since.toISOString().slice(0, 10)
  const names = (await namesIn(folder)).filter((name) => FILE.test(name) && name.slice(0, day.length) >= day).sort()
  for (const name of names) {
    let at = 0
    for await (const text of wholeLines(join(folder, name))) {
      at += 1
      yield { place: `${name}:${at}`, line: lineIn(text, `${name}:${at}`) }
    }
  }
}

/** Reads the lines that end with a line break. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
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
