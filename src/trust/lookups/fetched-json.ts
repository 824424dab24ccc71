import { type Json, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { tenantOfWork } from '../../http/routes/tenant-of-work.ts'
import { FetchedCache } from '../../memory/fetched-cache.ts'
import type { OutboundFetch } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import { isServerTrouble } from './out-of-reach.ts'

/** Kept as text: what is parsed of 16 KiB may occupy twenty times as much. `triedAtMs`: of the last fetch, also of one that was refused. */
type Kept = { readonly text: Uint8Array; triedAtMs: number }

/** A document of an issuer or verifier: its address and the media types that are accepted. */
export type FetchedDocument = { readonly url: string; readonly accept: readonly string[]; readonly now: Date }

const BOUNDS = { bytesMax: 2 * 1024 * 1024, ttlMs: 5 * 60_000 } as const
const BYTES_MAX = 16 * 1024
const REDIRECTS_MAX = 3
/** A kept document is not fetched again for a missing key sooner than this, so that bad credentials do not make us a hammer. */
const REFETCH_AFTER_MS = 10_000

// By the way out: what one platform of this process fetched is not shown to another.
const stateOf = oncePer((_: OutboundFetch) => ({
  cache: new FetchedCache<Kept>(BOUNDS),
  coming: new Map<string, Promise<Uint8Array>>(),
}))

/**
 * Reads a value out of a JSON document, which is kept for some minutes; if the kept one does not hold it, out of a fresh one. Only a document
 * that `read` accepted is kept.
 *
 * @throws Fault what `read` throws, `issuer.undiscoverable` if there is no such document, `upstream.*`
 */
export async function readFetched<T>(
  fetch: OutboundFetch,
  wanted: FetchedDocument,
  read: (value: Json) => T,
): Promise<T> {
  const { cache, coming } = stateOf(fetch)
  const { url, now } = wanted
  const kept = cache.get(url, now)
  try {
    if (kept !== undefined) return read(parseJson(kept.text))
  } catch (error) {
    if (kept !== undefined && kept.triedAtMs > now.getTime() - REFETCH_AFTER_MS) throw error
  }
  if (kept !== undefined) kept.triedAtMs = now.getTime()
  // Callers that come together share one fetch.
  const loading = coming.get(url) ?? load(fetch, wanted).finally(() => coming.delete(url))
  coming.set(url, loading)
  const text = await loading
  const found = read(parseJson(text))
  cache.set(url, { text, triedAtMs: now.getTime() }, text.length, tenantOfWork(), now)
  return found
}

async function load(fetch: OutboundFetch, { url, accept }: FetchedDocument): Promise<Uint8Array> {
  const answer = await fetch(url, { accept, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
  const notes = `status ${answer.status} for a key document`
  if (isServerTrouble(answer.status)) throw new Fault('upstream.answer', { notes })
  if (answer.status !== 200) throw new Fault('issuer.undiscoverable', { notes })
  // A copy of its own: a short buffer is a piece of a larger one, which it would hold.
  return new Uint8Array(answer.body)
}
