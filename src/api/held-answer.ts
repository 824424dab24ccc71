import type { Caller } from '../caller.ts'
import { Fault } from '../fault.ts'
import { entityTagOf, isUnchanged } from '../http/routes/entity-tag.ts'
import { type Answer, answer, type RawAnswer, type RouteContext, rawAnswer } from '../http/routes/route.ts'
import type { WatchedKind } from '../platform.ts'

/** The longest wait, because proxies close a silent connection after a minute. */
const WAIT_SECONDS_MAX = 30

type Ask = Pick<RouteContext, 'platform' | 'headers'> & { readonly caller: Pick<Caller, 'tenantId'> }

/** A resource that a caller can wait for. */
type WatchedResource<T, Read = T> = {
  readonly watched: WatchedKind
  readonly id: string
  readonly read: () => Promise<Read>
  /** Whether the state is final, so that a request without `If-None-Match` does not wait. */
  readonly isFinal: (shown: T) => boolean
}

/** A state of a resource that has a tag and a `meta` of its own. */
type TaggedState<T> = {
  readonly data: T
  readonly meta?: Readonly<Record<string, unknown>>
  readonly etag: string
}

/**
 * Answers a GET with its `ETag`, and with 304 if the caller has that state (`If-None-Match`). With
 * `Prefer: wait=<seconds>` it answers when the state differs from that of `If-None-Match`, or from the state at the
 * start of the request, or after that time. A stopping server and one with too many waiting callers answer at once;
 * `Preference-Applied` says whether the request waited.
 *
 * @throws Fault `request.invalid` when the wait is not a whole number
 * @see [RFC 7240, 4.3](https://www.rfc-editor.org/rfc/rfc7240#section-4.3) and [RFC 9110, 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)
 */
export function conditionalAnswer<T>(ask: Ask, held: WatchedResource<T>): Promise<Answer<T> | RawAnswer> {
  const read = async () => {
    const data = await held.read()
    return { data, etag: entityTagOf(JSON.stringify(data)) }
  }
  return conditionalTaggedAnswer(ask, { ...held, read })
}

/** As {@link conditionalAnswer}, for a resource whose tag is not the digest of its `data`. */
export async function conditionalTaggedAnswer<T>(
  ask: Ask,
  held: WatchedResource<T, TaggedState<T>>,
): Promise<Answer<T> | RawAnswer> {
  const ifNoneMatch = ask.headers['if-none-match']
  const seconds = waitOf(ask.headers.prefer)
  const first = await held.read()
  const mustWait =
    seconds > 0 && (ifNoneMatch === undefined ? !held.isFinal(first.data) : isUnchanged(ifNoneMatch, first.etag))
  const waited = mustWait ? await nextState(ask, held, first, seconds * 1000) : null
  const { data, meta, etag } = waited ?? first
  const headers = { etag, ...(waited !== null && { 'preference-applied': `wait=${seconds}` }) }
  if (isUnchanged(ifNoneMatch, etag)) return rawAnswer('application/json', '', { status: 304, headers })
  return answer(data, { headers, ...(meta !== undefined && { meta }) })
}

/** Returns the next state, or null if no further caller can wait. */
async function nextState<T>(
  { platform, caller }: Ask,
  held: WatchedResource<T, TaggedState<T>>,
  first: TaggedState<T>,
  waitMs: number,
): Promise<TaggedState<T> | null> {
  const watching = platform.changes.watch(held.watched, { tenantId: caller.tenantId, id: held.id })
  if (watching === null) return null
  const deadline = performance.now() + waitMs
  let current = first
  try {
    for (let left = waitMs; left > 0 && watching.isOpen() && current.etag === first.etag; ) {
      await watching.next(left)
      current = await held.read()
      left = deadline - performance.now()
    }
    return current
  } finally {
    watching.close()
  }
}

/** RFC 7240 2: preferences are separated by commas and case-insensitive; the first of several with one name counts. */
function waitOf(prefer: string | string[] | undefined): number {
  const preferences = [prefer ?? []].flat().join(',').split(',')
  // Runs of spaces become one, so that the pattern cannot backtrack over them.
  const spaced = preferences.map((one) => one.trim().replace(/\s+/g, ' '))
  const wait = spaced.map((one) => /^wait ?= ?"?([^"; ]*)"? ?(?:;|$)/i.exec(one)?.[1]).find((one) => one !== undefined)
  if (wait === undefined) return 0
  if (!/^\d{1,9}$/.test(wait)) {
    const detail = 'wait must be a whole number of seconds.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Prefer' }] })
  }
  return Math.min(Number(wait), WAIT_SECONDS_MAX)
}
