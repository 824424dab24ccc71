import { randomId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Clock, JournalLine, RevocationJournal } from '../platform.ts'
import type { ObjectStore } from './bucket.ts'
import { lineIn, type PlacedLine } from './journal-file.ts'

/** Attempts to write one object. A repeated one finds what an attempt without an answer has written. */
const TRIES_MAX = 2
const LINES_MAX = 5000
const GETS_AT_ONCE = 16
const NAME = /\/\d{4}-\d{2}-\d{2}T[0-9.:]+Z-[0-9a-f-]{36}\.jsonl$/

type Batch = { readonly lines: JournalLine[]; readonly written: Promise<void> }

/**
 * Returns a journal of objects `{prefix}/{time}-{UUID}.jsonl`, each written once and never replaced. Lines that arrive
 * while an object is written are in the next one.
 */
export function openJournalObjects(store: ObjectStore, prefix: string, clock: Clock): RevocationJournal {
  let last: Promise<void> = Promise.resolve()
  let next: Batch | null = null
  const begin = (): Batch => {
    const lines: JournalLine[] = []
    const written = last
      .catch(() => undefined)
      .then(() => {
        if (next?.lines === lines) next = null
        const key = `${prefix}/${clock.now().toISOString()}-${randomId()}.jsonl`
        return writeOnce(store, key, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      })
    last = written
    next = { lines, written }
    return next
  }
  return {
    isKept: true,
    append: (lines) => {
      if (lines.length === 0) return Promise.resolve()
      const batch = next !== null && next.lines.length < LINES_MAX ? next : begin()
      batch.lines.push(...lines)
      return batch.written
    },
  }
}

/** @throws Fault `journal.unavailable` */
async function writeOnce(store: ObjectStore, key: string, body: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if ((await store.put(key, body, null)) !== null) return
      // The attempt before may have written it and got no answer.
      if ((await store.get(key))?.body === body) return
      throw new Error('the object store refused a new object')
    } catch (cause) {
      if (tries >= TRIES_MAX) throw new Fault('journal.unavailable', { cause })
    }
  }
}

/** Reads the lines of all objects from a time on, in the order of their times. @throws Error */
export async function* readJournalObjects(store: ObjectStore, prefix: string, since: Date): AsyncGenerator<PlacedLine> {
  let after = `${prefix}/${since.toISOString()}`
  for (;;) {
    const keys = await store.list(`${prefix}/`, after)
    const last = keys.at(-1)
    if (last === undefined) return
    after = last
    const ours = keys.filter((key) => NAME.test(key))
    for (let first = 0; first < ours.length; first += GETS_AT_ONCE) {
      const some = ours.slice(first, first + GETS_AT_ONCE)
      for (const lines of await Promise.all(some.map((key) => linesOf(store, key)))) yield* lines
    }
  }
}

async function linesOf(store: ObjectStore, key: string): Promise<PlacedLine[]> {
  const found = await store.get(key)
  if (found === null) throw new Error(`the revocation journal has lost ${key}`)
  const lines = found.body.split('\n').slice(0, -1)
  return lines.map((text, at) => ({ place: `${key}:${at + 1}`, line: lineIn(text, `${key}:${at + 1}`) }))
}
