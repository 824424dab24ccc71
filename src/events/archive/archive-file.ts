import { createReadStream, type Dirent } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { sha256Base64url } from '../../crypto/digest.ts'
import { type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import { randomToken } from '../../crypto/random.ts'
import type { Month } from './month.ts'
import type { ArchivedEntry } from './month-store.ts'

/** What a check of an archive found: the number of its entries, or its first fault, with file and line. */
export type ArchiveCheck = { readonly entries: number; readonly fault: string | null }

const FILE = /^\d{4}-\d{2}\.jsonl$/
const UNFINISHED = /^\d{4}-\d{2}\.jsonl\..*part$/

/**
 * Writes the entries of a month to `{folder}/{month}.jsonl`, one on a line. A head and an end stand around them. Each
 * line names the SHA-256 of the line before it (`previous`, base64url), the head that of the end of the month before: a
 * line that was changed, removed or moved is found by {@link checkArchive}, and the digest of the newest end stands for
 * everything before it. The file is complete or not there: it is written under another name, which no other process
 * uses.
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
  const unfinished = `${path}.${randomToken()}.part`
  let previous = await lastDigestBefore(folder, month)
  const file = await open(unfinished, 'wx', 0o600)
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
  // The table of the month is dropped next: the names must be on the disk too.
  for (const one of [folder, dirname(folder)]) await syncFolder(one)
  return previous ?? ''
}

/**
 * Returns the number of entries in the file of a month, if it is finished: of this tenant and month, with an unbroken
 * chain from the month before to its end. null: there is no such file.
 */
export async function entriesOfFile(
  folder: string,
  month: Month,
  tenantId: string,
  signal: AbortSignal,
): Promise<number | null> {
  const months = await monthsIn(folder)
  if (!months.includes(`${month}.jsonl`)) return null
  const path = join(folder, `${month}.jsonl`)
  const head = readLine(await firstLineOf(path))
  if (head?.tenantId !== tenantId || head.month !== month) return null
  const { fault, entries } = await checkMonth(path, await lastDigestBefore(folder, month), signal)
  return fault === null ? entries : null
}

/**
 * Removes the files that processes left unfinished. None may be writing: a run that has not ended with its lease fails.
 */
export async function removeUnfinished(archive: string): Promise<void> {
  for (const tenant of await namesIn(archive)) {
    const folder = join(archive, tenant.name)
    const left = tenant.isDirectory() ? (await namesIn(folder)).filter(({ name }) => UNFINISHED.test(name)) : []
    for (const { name } of left) await rm(join(folder, name), { force: true })
  }
}

/** Checks the months in a folder of one tenant against their chain. */
export async function checkArchive(folder: string): Promise<ArchiveCheck> {
  let previous: string | null = null
  let total = 0
  for (const name of await monthsIn(folder)) {
    const { fault, at, entries, digest } = await checkMonth(join(folder, name), previous)
    if (fault !== null) return { entries: total, fault: `${name}:${at}: ${fault}` }
    previous = digest
    total += entries
  }
  return { entries: total, fault: null }
}

/**
 * Checks one file against the last line of the one before it. `at`: the line of the fault. `digest`: that of its own
 * last line.
 */
async function checkMonth(path: string, before: string | null, signal?: AbortSignal) {
  const state = { at: 0, entries: 0, isEnded: false }
  let digest = before
  for await (const text of linesOf(path)) {
    signal?.throwIfAborted()
    state.at += 1
    const fault = state.isEnded ? 'a line after the end' : faultOf(text, digest, state)
    if (fault !== null) return { ...state, fault, digest }
    digest = sha256Base64url(text)
  }
  return { ...state, fault: state.isEnded ? null : 'the end is missing', digest }
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

async function firstLineOf(path: string): Promise<string> {
  for await (const text of linesOf(path)) return text
  return ''
}

async function monthsIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).flatMap(({ name }) => (FILE.test(name) ? [name] : [])).sort()
}

async function namesIn(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r')
  await opened.sync().finally(() => opened.close())
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}
