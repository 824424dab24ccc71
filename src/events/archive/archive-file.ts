import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sha256Base64url } from '../../crypto/digest.ts'
import { type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import type { Month } from './month.ts'
import type { ArchivedEntry } from './month-store.ts'

/** What a check of an archive found: the number of its entries, or its first fault, with file and line. */
export type ArchiveCheck = { readonly entries: number; readonly fault: string | null }

const FILE = /^\d{4}-\d{2}\.jsonl$/

/**
 * Writes the entries of a month to `{folder}/{month}.jsonl`, one on a line. A head and an end stand around them. Each line names the SHA-256
 * of the line before it (`previous`, base64url), the head that of the end of the month before: a line that was changed, removed or moved is
 * found by {@link checkArchive}, and the digest of the newest end stands for everything before it. The file is complete or not there.
 *
 * @returns that digest
 */
export async function writeMonth(
  folder: string,
  month: Month,
  tenantId: string,
  pages: AsyncIterable<readonly ArchivedEntry[]>,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${month}.jsonl`)
  const unfinished = `${path}.part`
  const file = await open(unfinished, 'w', 0o600)
  let previous = await lastDigestBefore(folder, month)
  let entries = 0
  const lineOf = (line: object) => {
    const text = JSON.stringify({ ...line, previous })
    previous = sha256Base64url(text)
    return `${text}\n`
  }
  try {
    await file.appendFile(lineOf({ archive: 'audit', tenantId, month }))
    for await (const page of pages) {
      entries += page.length
      await file.appendFile(page.map(lineOf).join(''))
    }
    await file.appendFile(lineOf({ end: month, entries }))
    await file.sync()
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  return previous ?? ''
}

/** Checks the months in a folder of one tenant against their chain. */
export async function checkArchive(folder: string): Promise<ArchiveCheck> {
  let previous: string | null = null
  let total = 0
  for (const name of await monthsIn(folder)) {
    const state = { at: 0, entries: 0, isEnded: false }
    for await (const text of linesOf(join(folder, name))) {
      state.at += 1
      const fault = state.isEnded ? 'a line after the end' : faultOf(text, previous, state)
      if (fault !== null) return { entries: total, fault: `${name}:${state.at}: ${fault}` }
      previous = sha256Base64url(text)
    }
    if (!state.isEnded) return { entries: total, fault: `${name}:${state.at}: the end is missing` }
    total += state.entries
  }
  return { entries: total, fault: null }
}

function faultOf(
  text: string,
  previous: string | null,
  state: { readonly at: number; entries: number; isEnded: boolean },
): string | null {
  const line = readLine(text)
  if (line === null) return 'not a JSON object'
  // The first month of a folder may follow one that was put away.
  if (line.previous !== previous && !(state.at === 1 && previous === null)) return 'not what the line before it says'
  if (state.at === 1) return line.archive === 'audit' ? null : 'the head is missing'
  if (typeof line.end !== 'string') {
    state.entries += 1
    return null
  }
  state.isEnded = true
  return line.entries === state.entries ? null : `${state.entries} entries instead of ${String(line.entries)}`
}

function readLine(text: string): JsonObject | null {
  try {
    return parseJsonObject(text)
  } catch {
    return null
  }
}

async function lastDigestBefore(folder: string, month: Month): Promise<string | null> {
  const name = (await monthsIn(folder)).filter((one) => one < `${month}.jsonl`).at(-1)
  if (name === undefined) return null
  let last = ''
  for await (const text of linesOf(join(folder, name))) last = text
  return sha256Base64url(last)
}

async function monthsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => FILE.test(name)).sort()
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}
