import { sha256Base64url } from '../crypto/digest.ts'
import { Fault } from '../fault.ts'
import { type Answer, answer, type RawAnswer, type RouteContext, rawAnswer } from '../http/routes/route.ts'
import type { WatchedKind } from '../platform.ts'

/** However long a caller would wait: proxies give up after a minute. */
const WAIT_SECONDS_MAX = 30

type Ask = Pick<RouteContext, 'platform' | 'caller' | 'headers'>

/** What is read, and how it changes. */
export type WatchedResource<T> = {
  readonly watched: WatchedKind
  readonly id: string
  readonly read: () => Promise<T>
  /** Whether there is nothing left to wait for, unless the caller says by `If-None-Match` what it knows. */
  readonly isFinal: (shown: T) => boolean
}

/**
 * Answers a GET with its `ETag`; with 304 if the caller has that very state (`If-None-Match`); and with `Prefer: wait=<seconds>` not before
 * the state is another one than the caller knows, or than it was when the request came, or the time is over. A stopping server answers at
 * once, and so does one on which too many wait already; `Preference-Applied` says whether the answer was held.
 *
 * @throws Fault `request.invalid` for a wait that is no whole number
 * @see [RFC 7240, 4.3](https://www.rfc-editor.org/rfc/rfc7240#section-4.3) and [RFC 9110, 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)
 */
export async function conditionalAnswer<T>(ask: Ask, held: WatchedResource<T>): Promise<Answer<T> | RawAnswer> {
  const known = ask.headers['if-none-match']
  const seconds = waitOf(ask.headers.prefer)
  const first = await held.read()
  const isKnown = known !== undefined && isAmong(known, etagOf(first))
  const isForLater = seconds > 0 && (known === undefined ? !held.isFinal(first) : isKnown)
  const waited = isForLater ? await nextState(ask, held, first, seconds * 1000) : null
  const shown = waited === null ? first : waited
  const headers = {
    etag: etagOf(shown),
    ...(waited !== null && { 'preference-applied': `wait=${seconds}` }),
  }
  if (known !== undefined && isAmong(known, headers.etag)) {
    return rawAnswer('application/json', '', { status: 304, headers })
  }
  return answer(shown, { headers })
}

/** @returns null if nobody more can wait. */
async function nextState<T>(
  { platform, caller }: Ask,
  held: WatchedResource<T>,
  first: T,
  waitMs: number,
): Promise<T | null> {
  const watching = platform.changes.watch(held.watched, { tenantId: caller.tenantId, id: held.id })
  if (watching === null) return null
  const deadline = performance.now() + waitMs
  const before = etagOf(first)
  let current = first
  try {
    for (let left = waitMs; left > 0 && watching.isOpen() && etagOf(current) === before; ) {
      await watching.next(left)
      current = await held.read()
      left = deadline - performance.now()
    }
    return current
  } finally {
    watching.leave()
  }
}

/** Of what is shown, so that it changes exactly when that does. */
function etagOf(shown: unknown): string {
  return `"${sha256Base64url(JSON.stringify(shown)).slice(0, 22)}"`
}

/** RFC 9110 13.1.2: a list of tags or `*`; weak and strong ones are the same here. */
function isAmong(known: string, etag: string): boolean {
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** RFC 7240 2: preferences are parted by commas and case does not matter; of several with one name the first counts. */
function waitOf(prefer: string | string[] | undefined): number {
  const preferences = [prefer ?? []].flat().join(',').split(',')
  // Spaces count as one, so that no two neighbours of the pattern share a run of them.
  const spaced = preferences.map((one) => one.trim().replace(/\s+/g, ' '))
  const wait = spaced.map((one) => /^wait ?= ?"?([^"; ]*)"? ?(?:;|$)/i.exec(one)?.[1]).find(isThere)
  if (wait === undefined) return 0
  if (!/^\d{1,9}$/.test(wait)) {
    const detail = 'wait must be a whole number of seconds.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Prefer' }] })
  }
  return Math.min(Number(wait), WAIT_SECONDS_MAX)
}

function isThere(text: string | undefined): text is string {
  return text !== undefined
}
