import { type Json, parseJson } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import { Recent } from '../memory/recent.ts'
import type { OutboundFetch } from '../platform.ts'
import { isTrouble } from './out-of-reach.ts'

type Fetched = { readonly value: Json; readonly fetchedAtMs: number }

/** A document of somebody else: where it is and as what it may come. */
export type Wanted = { readonly url: string; readonly accept: readonly string[]; readonly now: Date }

const BOUNDS = { entriesMax: 1000, ttlMs: 5 * 60_000 } as const
const BYTES_MAX = 128 * 1024
const REDIRECTS_MAX = 3
/** A document is not fetched again for a missing key sooner than this, so that bad credentials do not make us a hammer. */
const REFETCH_AFTER_MS = 10_000

// By the way out: what one platform of this process was told is not told to another.
const caches = new WeakMap<OutboundFetch, Recent<Promise<Fetched>>>()

/**
 * Reads something out of a JSON document, kept for some minutes; if it is not in the kept one, out of a fresh one.
 *
 * @throws Fault what `read` throws, `issuer.undiscoverable` if there is no such document, `upstream.*`
 */
export async function readFetched<T>(fetch: OutboundFetch, wanted: Wanted, read: (value: Json) => T): Promise<T> {
  const cache = cacheOf(fetch)
  const kept = await (cache.get(wanted.url, wanted.now) ?? fetched(fetch, wanted, cache))
  try {
    return read(kept.value)
  } catch (error) {
    if (kept.fetchedAtMs > wanted.now.getTime() - REFETCH_AFTER_MS) throw error
    return read((await fetched(fetch, wanted, cache)).value)
  }
}

/** Callers that come together share one fetch; one that failed is not kept. */
function fetched(fetch: OutboundFetch, wanted: Wanted, cache: Recent<Promise<Fetched>>): Promise<Fetched> {
  const coming = load(fetch, wanted)
  cache.set(wanted.url, coming, wanted.now)
  coming.catch(() => cache.delete(wanted.url))
  return coming
}

async function load(fetch: OutboundFetch, { url, accept, now }: Wanted): Promise<Fetched> {
  const answer = await fetch(url, { accept, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
  const notes = `status ${answer.status} for a key document`
  if (isTrouble(answer.status)) throw new Fault('upstream.answer', { notes })
  if (answer.status !== 200) throw new Fault('issuer.undiscoverable', { notes })
  return { value: parseJson(answer.body), fetchedAtMs: now.getTime() }
}

function cacheOf(fetch: OutboundFetch): Recent<Promise<Fetched>> {
  const cache = caches.get(fetch) ?? new Recent<Promise<Fetched>>(BOUNDS)
  caches.set(fetch, cache)
  return cache
}
