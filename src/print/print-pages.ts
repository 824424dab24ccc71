import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import { NoPlace } from '../memory/fair-places.ts'
import { importOptional } from '../optional-package.ts'
import type { Platform } from '../platform.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { PrintedDocument, PrintedPage, PrintTask } from './printed-page.ts'

/** How long a piece of a document may take, and how long a document waits for its turn. */
const PIECE_MS_MAX = 10_000
const WAITING_MS_MAX = 3000
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** Two of four places: a tenant prints one document at a time, and a process two. */
const PLACES_OF_DOCUMENT = 2

/**
 * Draws a document as PDF in a worker, so that it holds up no other request: piece by piece, as its pages come and its
 * client takes them. What a page says may be in any script; a character that no font has becomes a question mark.
 *
 * @param pages Pieces of a few pages; they are closed if the client goes away.
 * @throws Fault `state.invalid` without the package `@chirograph/print`; `request.rate_limited` while other documents
 *   of the tenant are printed
 */
export async function printPages(
  { memory }: Pick<Platform, 'memory'>,
  tenantId: TenantId,
  document: PrintedDocument,
  pages: AsyncIterable<readonly PrintedPage[]>,
): Promise<Readable> {
  const url = await workerUrl()
  const release = await placeOf(memory, tenantId)
  const worker = new Worker(url, { workerData: document, resourceLimits, env: {} })
  const stream = Readable.from(bytesOf(worker, pages), { objectMode: false })
  worker.on('error', (error) => stream.destroy(error instanceof Error ? error : undefined))
  stream.once('close', () => {
    release()
    worker.terminate()
  })
  return stream
}

async function workerUrl(): Promise<URL> {
  const loaded = await importOptional('@chirograph/print', 'PDF').catch((error: unknown) => {
    const detail = 'This server prints no documents: the package @chirograph/print is not installed.'
    throw new Fault('state.invalid', { detail, ...(error instanceof Error && { cause: error }) })
  })
  // As the package exports it.
  return (loaded as { readonly workerUrl: URL }).workerUrl
}

async function placeOf(memory: Platform['memory'], tenantId: TenantId): Promise<() => void> {
  try {
    const asked = { amount: PLACES_OF_DOCUMENT, waitMsMax: WAITING_MS_MAX }
    return await memory.places('print.documents').take(tenantId, asked)
  } catch (error) {
    if (!(error instanceof NoPlace)) throw error
    throw new Fault('request.rate_limited', { detail: 'Other documents of the organisation are printed; try again.' })
  }
}

async function* bytesOf(worker: Worker, pages: AsyncIterable<readonly PrintedPage[]>): AsyncGenerator<Uint8Array> {
  await answerOf(worker)
  for await (const piece of pages) yield await asked(worker, { kind: 'pages', pages: piece })
  yield await asked(worker, { kind: 'end' })
}

function asked(worker: Worker, task: PrintTask): Promise<Uint8Array> {
  worker.postMessage(task)
  return answerOf(worker)
}

/** The next answer of the worker; rejects if the worker fails. */
async function answerOf(worker: Worker): Promise<Uint8Array> {
  const late = () => new Error('a worker took too long to print')
  const [bytes] = await withTimeLimit(once(worker, 'message'), PIECE_MS_MAX, late)
  // The package sends bytes only.
  return bytes as Uint8Array
}
