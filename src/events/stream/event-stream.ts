import { Readable } from 'node:stream'
import type { Caller, TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { isUuid } from '../../uuid.ts'
import type { Position } from '../order/position.ts'
import { type PublishedEvent, showEvent } from './event.ts'
import { currentPosition, type EventFilter, findEventPosition, listEventRows } from './event-store.ts'
import { watchEvents } from './watch-events.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log' | 'memory'>
type Start = { readonly from: Position; readonly seen: string | null }

const STREAMS_PER_TENANT = 20
/** Of a person's own events, in several tabs. They take no place of the tenant. */
const STREAMS_PER_USER = 3
const EVENTS_PER_READ = 100
/** Proxies close a connection that is silent for a minute or less. */
const HEARTBEAT_MS = 15_000
/** A stream ends after this time or with its token, whichever is earlier. */
const STREAM_MS_MAX = 300_000
const RETRY_MS = 2000

/**
 * Returns the events of a tenant as server-sent events: those after `lastEventId`, by default those from now on. It
 * ends when the token expires; a client that reconnects with the last id that it received misses no event.
 *
 * @throws Fault `request.invalid` when no event has the id, `request.rate_limited` when too many streams are open
 * @see [HTML, 9.2 Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html#server-sent-events)
 */
export async function openEventStream(
  needs: Needs,
  caller: Caller,
  filter: EventFilter,
  lastEventId: string | string[] | undefined,
): Promise<Readable> {
  const release = acquirePlace(needs, caller.tenantId, filter.userId ?? null)
  try {
    const start = await startOf(needs, caller, lastEventId)
    return new EventStream(needs, caller, filter, start, release)
  } catch (error) {
    release()
    throw error
  }
}

async function startOf(
  { store }: Needs,
  { tenantId }: Caller,
  lastEventId: string | string[] | undefined,
): Promise<Start> {
  if (lastEventId === undefined || lastEventId === '') return store.single(tenantId, currentPosition)
  const id = String(lastEventId)
  const from = isUuid(id) ? await store.single(tenantId, (tx) => findEventPosition(tx, id)) : null
  if (from !== null) return { from, seen: null }
  const detail = 'There is no event with this id. Without the header the stream starts now.'
  throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Last-Event-ID' }] })
}

/** Counts an open stream. Returns a function that ends the count, once. */
function acquirePlace({ memory }: Needs, tenantId: TenantId, userId: string | null): () => void {
  const counts = memory.single('events.streams', () => new Map<string, number>())
  const [key, max] = userId === null ? [tenantId, STREAMS_PER_TENANT] : [`${tenantId} ${userId}`, STREAMS_PER_USER]
  const own = counts.get(key) ?? 0
  const release = own >= max ? null : memory.places('events.streams').tryTake(tenantId)
  if (release === null) {
    const detail = `At most ${max} event streams may be open at a time.`
    throw new Fault('request.rate_limited', { detail, meta: { retryAfterSeconds: 30 } })
  }
  counts.set(key, own + 1)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    release()
    const left = (counts.get(key) ?? 1) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
}

/** Reads from the database only when the client reads, so that a slow client fills no memory. */
class EventStream extends Readable {
  readonly #needs: Needs
  readonly #tenantId: TenantId
  readonly #filter: EventFilter
  readonly #ends: (() => void)[]
  #from: Position
  #seen: string | null
  #isDemanded = false
  #isReading = false
  #mayBeMore = true
  #isOver = false

  constructor(needs: Needs, caller: Caller, filter: EventFilter, { from, seen }: Start, release: () => void) {
    super({ highWaterMark: 65_536 })
    this.#needs = needs
    this.#tenantId = caller.tenantId
    this.#filter = filter
    this.#from = from
    this.#seen = seen
    const left = (caller.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - needs.clock.now().getTime()
    const end = setTimeout(() => this.push(null), Math.max(0, Math.min(left, STREAM_MS_MAX))).unref()
    const beat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
    const unwatch = watchEvents(needs, caller.tenantId, () => this.#onNewEvents())
    this.#ends = [release, unwatch, () => clearTimeout(end), () => clearInterval(beat)]
    this.push(`retry: ${RETRY_MS}\n\n`)
  }

  override _read(): void {
    this.#isDemanded = true
    void this.#pump()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#close()
    done(error)
  }

  /** A stopping server may end the stream in the middle of a read; chunks after the end are dropped. */
  override push(chunk: string | null): boolean {
    if (this.#isOver) return false
    if (chunk === null) this.#close()
    return super.push(chunk)
  }

  #close(): void {
    this.#isOver = true
    for (const end of this.#ends.splice(0)) end()
  }

  #onNewEvents(): void {
    this.#mayBeMore = true
    void this.#pump()
  }

  #beat(): void {
    // Only when the client has read everything: otherwise the connection is not silent.
    if (this.#isDemanded) this.push(': \n\n')
  }

  async #pump(): Promise<void> {
    if (this.#isReading || this.#isOver) return
    this.#isReading = true
    try {
      while (this.#isDemanded && this.#mayBeMore && !this.#isOver) await this.#readPage()
    } catch (error) {
      this.#needs.log.error({ err: error }, 'an event stream failed')
      // The client reconnects with the last id that it received.
      this.push(null)
    }
    this.#isReading = false
  }

  async #readPage(): Promise<void> {
    this.#mayBeMore = false
    const ask = { from: this.#from, seen: this.#seen, descending: false, limit: EVENTS_PER_READ }
    const rows = await this.#needs.store.single(this.#tenantId, (tx) => listEventRows(tx, ask, this.#filter))
    const last = rows.at(-1)
    if (last === undefined) return
    // The snapshot is of the era of the start.
    if (last.era !== this.#from.era) this.#seen = null
    this.#from = last
    this.#mayBeMore ||= rows.length === EVENTS_PER_READ
    this.#isDemanded = this.push(rows.map(frameOf).join(''))
  }
}

function frameOf(event: PublishedEvent): string {
  const shown = showEvent(event)
  return `id: ${shown.id}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`
}
