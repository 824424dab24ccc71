import { Readable } from 'node:stream'
import type { Caller, TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Store } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import { type PublishedEvent, showEvent } from './event.ts'
import { currentPosition, type EventFilter, findEventPlace, listEventRows } from './event-store.ts'
import type { Position } from './position.ts'
import { watchEvents } from './watch-events.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log'>
type Start = { readonly from: Position; readonly seen: string | null }

const STREAMS_PER_TENANT = 20
const STREAMS_MAX = 500
const EVENTS_PER_READ = 100
/** Proxies close what is silent for a minute or less. */
const HEARTBEAT_MS = 15_000
/** For callers whose token does not say when it ends. */
const STREAM_MS_MAX = 300_000
const RETRY_MS = 2000

const open = new WeakMap<Store, Map<TenantId, number>>()

/**
 * The events of a tenant as they happen, from behind `lastEventId`, or from now on. It ends when the token does; who comes back with the
 * last id that it saw misses nothing.
 *
 * @throws Fault `request.invalid` for an id that is no event's, `request.rate_limited` when there are too many streams
 * @see [HTML, 9.2 Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html#server-sent-events)
 */
export async function openEventStream(
  needs: Needs,
  caller: Caller,
  filter: EventFilter,
  lastEventId: string | string[] | undefined,
): Promise<Readable> {
  const leave = enter(needs.store, caller.tenantId)
  try {
    const start = await startOf(needs, caller, lastEventId)
    return new EventStream(needs, caller, filter, start, leave)
  } catch (error) {
    leave()
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
  const from = isUuid(id) ? await store.single(tenantId, (tx) => findEventPlace(tx, id)) : null
  if (from !== null) return { from, seen: null }
  const detail = 'There is no event with this id; without the header the stream begins now.'
  throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Last-Event-ID' }] })
}

/** Counts a stream in. @returns how to count it out. */
function enter(store: Store, tenantId: TenantId): () => void {
  const counts = open.get(store) ?? new Map<TenantId, number>()
  open.set(store, counts)
  const own = counts.get(tenantId) ?? 0
  const all = [...counts.values()].reduce((sum, one) => sum + one, 0)
  if (own >= STREAMS_PER_TENANT || all >= STREAMS_MAX) {
    const detail = `At most ${STREAMS_PER_TENANT} event streams may be open at a time.`
    throw new Fault('request.rate_limited', { detail, meta: { retryAfterSeconds: 30 } })
  }
  counts.set(tenantId, own + 1)
  let isIn = true
  return () => {
    if (!isIn) return
    isIn = false
    const left = (counts.get(tenantId) ?? 1) - 1
    if (left > 0) counts.set(tenantId, left)
    else counts.delete(tenantId)
  }
}

/** Reads when the client does: who does not listen fills no memory. */
class EventStream extends Readable {
  readonly #needs: Needs
  readonly #tenantId: TenantId
  readonly #filter: EventFilter
  readonly #ends: (() => void)[]
  #from: Position
  #seen: string | null
  #isWanted = false
  #isReading = false
  #mayBeMore = true
  #isOver = false

  constructor(needs: Needs, caller: Caller, filter: EventFilter, { from, seen }: Start, leave: () => void) {
    super({ highWaterMark: 65_536 })
    this.#needs = needs
    this.#tenantId = caller.tenantId
    this.#filter = filter
    this.#from = from
    this.#seen = seen
    const left = (caller.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - needs.clock.now().getTime()
    const end = setTimeout(() => this.push(null), Math.max(0, Math.min(left, STREAM_MS_MAX))).unref()
    const beat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
    const unwatch = watchEvents(needs, caller.tenantId, () => this.#news())
    this.#ends = [leave, unwatch, () => clearTimeout(end), () => clearInterval(beat)]
    this.push(`retry: ${RETRY_MS}\n\n`)
  }

  override _read(): void {
    this.#isWanted = true
    void this.#go()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#close()
    done(error)
  }

  /** A server that stops ends streams from outside, maybe in the middle of a read: what comes after the end is let go. */
  override push(chunk: string | null): boolean {
    if (this.#isOver) return false
    if (chunk === null) this.#close()
    return super.push(chunk)
  }

  #close(): void {
    this.#isOver = true
    for (const end of this.#ends.splice(0)) end()
  }

  #news(): void {
    this.#mayBeMore = true
    void this.#go()
  }

  #beat(): void {
    // Only to who has taken everything: the others hear enough.
    if (this.#isWanted) this.push(': \n\n')
  }

  async #go(): Promise<void> {
    if (this.#isReading || this.#isOver) return
    this.#isReading = true
    try {
      while (this.#isWanted && this.#mayBeMore && !this.#isOver) await this.#readOn()
    } catch (error) {
      this.#needs.log.error({ err: error }, 'an event stream ended early')
      // The client comes back with the last id that it saw.
      this.push(null)
    }
    this.#isReading = false
  }

  async #readOn(): Promise<void> {
    this.#mayBeMore = false
    const ask = { from: this.#from, seen: this.#seen, descending: false, limit: EVENTS_PER_READ }
    const rows = await this.#needs.store.single(this.#tenantId, (tx) => listEventRows(tx, ask, this.#filter))
    const last = rows.at(-1)
    if (last === undefined) return
    this.#from = last
    this.#mayBeMore ||= rows.length === EVENTS_PER_READ
    this.#isWanted = this.push(rows.map(frameOf).join(''))
  }
}

function frameOf(event: PublishedEvent): string {
  const shown = showEvent(event)
  return `id: ${shown.id}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`
}
