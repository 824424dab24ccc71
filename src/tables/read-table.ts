import { Worker } from 'node:worker_threads'
import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import { NoPlace } from '../memory/fair-places.ts'
import type { Platform } from '../platform.ts'
import type { ReadRow, ReadTable, TableOptions } from './table.ts'
import { tableFault } from './table-fault.ts'
import type { Assignment, Message } from './table-worker.ts'

/** How long a table may take, and how long it waits for its turn. A page answers within 10 s. */
const READING_MS_MAX = 5000
const WAITING_MS_MAX = 3000
/**
 * Memory of a worker. Whatever is allocated in one piece is far smaller, so that the worker ends at its bound and not
 * the process.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** Two of four places: a tenant reads one table at a time, and a process two. */
const PLACES_OF_READING = 2

/**
 * Reads a table of a person or an application in a worker, within bounds of memory and time, so that neither its size
 * nor its content holds up the process.
 *
 * @throws Fault `request.invalid` with `meta.rule` (see `tableFault`) for what is no table or beyond a bound;
 *   `request.rate_limited` while the tenant's other tables are read
 */
export async function readTable(
  { memory }: Pick<Platform, 'memory'>,
  tenantId: TenantId,
  source: Uint8Array,
  options: TableOptions,
): Promise<ReadTable> {
  const places = memory.places('tables.readings')
  let release: () => void
  try {
    release = await places.take(tenantId, { amount: PLACES_OF_READING, waitMsMax: WAITING_MS_MAX })
  } catch (error) {
    if (!(error instanceof NoPlace)) throw error
    throw new Fault('request.rate_limited', { detail: 'Other tables of the organisation are being read; try again.' })
  }
  try {
    return await readInWorker({ source: new Uint8Array(source), options })
  } finally {
    release()
  }
}

async function readInWorker(assignment: Assignment): Promise<ReadTable> {
  const { source } = assignment
  const worker = new Worker(workerUrl(), {
    workerData: assignment,
    transferList: [source.buffer],
    resourceLimits,
    env: {},
  })
  const late = tableFault('effort', `The table took longer than ${READING_MS_MAX / 1000} s to read.`)
  const done = Promise.withResolvers<ReadTable>()
  const timer = setTimeout(() => done.reject(late), READING_MS_MAX)
  const rows: ReadRow[] = []
  let table: Omit<ReadTable, 'rows'> | null = null
  worker.on('message', (message: Message) => {
    if (message.kind === 'refused') return done.reject(new Fault('request.invalid', message.refusal))
    if (message.kind === 'table') table = message.table
    else {
      for (const row of message.rows) rows.push(row)
      if (message.isLast && table !== null) return done.resolve({ ...table, rows })
    }
    // Other work gets its turn between the pieces.
    setImmediate(() => worker.postMessage('next'))
  })
  worker.on('error', (error) => done.reject(refusalOf(error)))
  worker.on('exit', () => done.reject(refusalOf(new Error('the worker ended without a table'))))
  try {
    return await done.promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

/** The module beside this one, which the package holds compiled. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './table-worker.ts' : './table-worker.js', import.meta.url)
}

/** Whatever else a table does to its reader is its refusal, with the error for the log. */
function refusalOf(error: unknown): Fault {
  const isTooLarge =
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
  return isTooLarge
    ? tableFault('effort', 'The table takes too much memory to read.', {}, error)
    : tableFault('kind', 'The table cannot be read.', {}, error)
}
