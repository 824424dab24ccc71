import { type Json, parseJson } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import type { OutboundFetch } from '../platform.ts'
import { type BoundedCache, boundedCache } from './bounded-cache.ts'

/** A document of somebody else, and when it was fetched. */
export type Fetched = { readonly value: Json; readonly fetchedAtMs: number }

const ENTRIES_MAX = 1000
const KEPT_MS = 5 * 60_000
const BYTES_MAX = 128 * 1024
const REDIRECTS_MAX = 3
/** A document is not fetched again for a missing key sooner than this, so that bad credentials do not make us a hammer. */
const REFETCH_AFTER_MS = 10_000

// By the way out: what one platform of this process was told is not told to another.
const caches = new WeakMap<OutboundFetch, BoundedCache<Promise<Fetched>>>()

/**
 * Fetches a JSON document, or takes the one of some minutes ago.
 *
 * @param notBeforeMs A kept one that is older than this is not good enough.
 * @throws Fault `upstream.*`
 */
export function fetchedJson(
  fetch: OutboundFetch,
  url: string,
  accept: readonly string[],
  now: Date,
  notBeforeMs = 0,
): Promise<Fetched> {
  const cache = caches.get(fetch) ?? boundedCache<Promise<Fetched>>(ENTRIES_MAX)
  caches.set(fetch, cache)
  const nowMs = now.getTime()
  const known = cache.get(url, nowMs)
  if (known !== undefined && notBeforeMs === 0) return known
  const coming = load(fetch, url, accept, nowMs)
  cache.set(url, coming, nowMs + KEPT_MS)
  coming.catch(() => cache.delete(url))
  return coming
}

/**
 * Reads something out of a document; if it is not in a kept one, out of a fresh one.
 *
 * @throws Fault what `read` throws, `upstream.*`
 */
export async function readFetched<T>(
  fetch: OutboundFetch,
  { url, accept, now }: { readonly url: string; readonly accept: readonly string[]; readonly now: Date },
  read: (value: Json) => T,
): Promise<T> {
  const kept = await fetchedJson(fetch, url, accept, now)
  try {
    return read(kept.value)
  } catch (error) {
    if (kept.fetchedAtMs > now.getTime() - REFETCH_AFTER_MS) throw error
    return read((await fetchedJson(fetch, url, accept, now, now.getTime())).value)
  }
}

async function load(fetch: OutboundFetch, url: string, accept: readonly string[], nowMs: number): Promise<Fetched> {
  const answer = await fetch(url, { accept, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
  if (answer.status !== 200) throw new Fault('upstream.answer', { notes: `status ${answer.status} for a key document` })
  return { value: parseJson(answer.body), fetchedAtMs: nowMs }
}
