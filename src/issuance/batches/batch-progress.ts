import { Readable } from 'node:stream'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform, Watch } from '../../platform.ts'
import type { Batch } from './batch.ts'
import { watchedBatches } from './batch-store.ts'
import { showBatch } from './batch-view.ts'

type Needs = Pick<Platform, 'changes' | 'clock'>

/** Proxies close connections that are idle for a minute or less. */
const HEARTBEAT_MS = 15_000
/** Maximum duration; the client reconnects and gets the current state. */
const STREAM_MS_MAX = 300_000

/**
 * Opens an event stream of a batch: its current state, then each change until it has ended, at most until the caller's
 * token expires.
 *
 * @param read Reads the batch.
 * @throws Fault `request.rate_limited` when too many requests wait for changes
 * @see [HTML, 9.2 Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html#server-sent-events)
 */
export async function openBatchProgress(
  needs: Needs,
  caller: Caller,
  id: string,
  read: () => Promise<Batch>,
): Promise<Readable> {
  const first = await read()
  const watching = needs.changes.watch(watchedBatches, { tenantId: caller.tenantId, id })
  if (watching === null) {
    throw new Fault('request.rate_limited', {
      detail: 'Too many requests wait for changes already.',
      meta: { retryAfterSeconds: 5 },
    })
  }
  const left = (caller.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - needs.clock.now().getTime()
  const deadline = performance.now() + Math.max(0, Math.min(left, STREAM_MS_MAX))
  const stream = Readable.from(frames(watching, first, read, deadline), { objectMode: false })
  // Also when the client disconnects early.
  stream.once('close', watching.close)
  return stream
}

async function* frames(
  watching: Watch,
  first: Batch,
  read: () => Promise<Batch>,
  deadline: number,
): AsyncGenerator<string> {
  let shown = ''
  for (let batch = first; ; batch = await read()) {
    const frame = JSON.stringify(showBatch(batch))
    yield frame === shown ? ': \n\n' : `event: progress\ndata: ${frame}\n\n`
    shown = frame
    const left = deadline - performance.now()
    if (batch.endedAt !== null || left <= 0) return
    await watching.next(Math.min(left, HEARTBEAT_MS))
    if (!watching.isOpen()) return
  }
}
