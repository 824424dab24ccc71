import { type Json, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { ForTenant, Platform } from '../../platform.ts'
import { isServerTrouble } from './out-of-reach.ts'

/**
 * Cached as text: parsed, 16 KiB may occupy twenty times as much. `triedAtMs`: of the last fetch, also of one that
 * failed.
 */
type CachedDocument = { readonly text: Uint8Array; triedAtMs: number }

/** A document of an issuer or verifier: its address and the media types that are accepted. */
type FetchedDocument = { readonly url: string; readonly accept: readonly string[]; readonly now: Date }

type Needs = Pick<Platform, 'fetch' | 'memory'> & ForTenant

const BYTES_MAX = 16 * 1024
const REDIRECTS_MAX = 3
/**
 * A cached document is not fetched again for a missing key sooner than this, so that bad credentials do not cause a
 * flood of requests.
 */
const REFETCH_AFTER_MS = 10_000

/**
 * Reads a value from a JSON document, which is cached for some minutes; if `read` refuses the cached one, from a fresh
 * one. Only a document that `read` accepts is cached.
 *
 * @throws Fault what `read` throws, `issuer.undiscoverable` if there is no such document, `upstream.*`
 */
export async function readFetched<T>(needs: Needs, document: FetchedDocument, read: (value: Json) => T): Promise<T> {
  const { memory, tenantId } = needs
  const cache = memory.fetched<CachedDocument>('trust.fetched_documents')
  const pending = memory.single('trust.pending_documents', () => new Map<string, Promise<Uint8Array>>())
  const { url, now } = document
  const cached = cache.get(url, now)
  try {
    if (cached !== undefined) return read(parseJson(cached.text))
  } catch (error) {
    if (cached !== undefined && cached.triedAtMs > now.getTime() - REFETCH_AFTER_MS) throw error
  }
  if (cached !== undefined) cached.triedAtMs = now.getTime()
  // Concurrent calls of a tenant share one fetch; it may wait for the other calls of the tenant, so tenants share none.
  const name = `${tenantId} ${url}`
  const loading = pending.get(name) ?? load(needs, document).finally(() => pending.delete(name))
  pending.set(name, loading)
  const text = await loading
  const found = read(parseJson(text))
  cache.set(url, { text, triedAtMs: now.getTime() }, text.length, tenantId, now)
  return found
}

async function load({ fetch, tenantId }: Needs, { url, accept }: FetchedDocument): Promise<Uint8Array> {
  const answer = await fetch(tenantId, url, { accept, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
  const notes = `status ${answer.status} for a key document`
  if (isServerTrouble(answer.status)) throw new Fault('upstream.answer', { notes })
  if (answer.status !== 200) throw new Fault('issuer.undiscoverable', { notes })
  // A copy: a short buffer is a slice of a larger one, which it would retain.
  return new Uint8Array(answer.body)
}
