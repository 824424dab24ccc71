import { type Caller, holds } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import type { Platform } from '../../platform.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>
/** What links were shown of: issuances by id, or all of a batch. */
type Shown = { readonly kind: 'issuance' | 'issuance_batch'; readonly ids: readonly string[] }

/**
 * Records that a caller was shown offer links that can be redeemed: a wallet that gets such a link takes the
 * credential. Each process records a caller at most once in the time to live of the cache, so that polling writes
 * nothing.
 */
export async function recordLook({ store, clock, memory }: Needs, caller: Caller, { kind, ids }: Shown): Promise<void> {
  if (!holds(caller, 'issuance:write')) return
  const now = clock.now()
  const recorded = looksOf(memory)
  const fresh = ids.filter((id) => recorded.get(keyOf(caller, id), now) === undefined)
  if (fresh.length === 0) return
  const [first = null] = fresh
  const subject = { kind, id: fresh.length === 1 ? first : null }
  const detail = fresh.length === 1 ? {} : { ids: fresh }
  const entry = { action: 'issuance.offer_viewed', subject, by: caller, detail } as const
  await store.single(caller.tenantId, (tx) => record(tx, entry, now))
  for (const id of fresh) recorded.set(keyOf(caller, id), true, now)
}

/** Remembers that a caller got the links of an issuance as its creator, which an entry of its own tells. */
export function forgoLook({ clock, memory }: Pick<Needs, 'clock' | 'memory'>, caller: Caller, id: string): void {
  looksOf(memory).set(keyOf(caller, id), true, clock.now())
}

function looksOf(memory: Needs['memory']) {
  return memory.cache<true>('issuance.recorded_looks')
}

function keyOf({ tenantId, actor, actingClientId }: Caller, id: string): string {
  return `${tenantId} ${actor.id} ${actingClientId ?? ''} ${id}`
}
