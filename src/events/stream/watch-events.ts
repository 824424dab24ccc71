import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { STUCK_MS } from '../../time-limit.ts'
import { newestPositions } from './event-store.ts'

type Needs = Pick<Platform, 'store' | 'log' | 'memory'>
type Watched = { newest: string | undefined; readonly listeners: Set<() => void> }

const POLL_MS = 500

/**
 * Polls the newest event of every watched tenant of a server with one statement, and only while a tenant is watched.
 */
class EventWatch {
  readonly #needs: Needs
  readonly #tenants = new Map<TenantId, Watched>()
  #timer: NodeJS.Timeout | null = null
  #pollBeganAt: number | null = null

  constructor(needs: Needs) {
    this.#needs = needs
  }

  add(tenantId: TenantId, listener: () => void): () => void {
    const watched = this.#tenants.get(tenantId) ?? { newest: undefined, listeners: new Set() }
    this.#tenants.set(tenantId, watched)
    watched.listeners.add(listener)
    this.#schedule()
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0) this.#tenants.delete(tenantId)
      if (this.#tenants.size > 0 || this.#timer === null) return
      clearTimeout(this.#timer)
      this.#timer = null
    }
  }

  check(): void {
    if (this.#pollBeganAt !== null && performance.now() - this.#pollBeganAt > STUCK_MS)
      throw new Error('a poll of new events does not end')
  }

  async #poll(): Promise<void> {
    const { store, log } = this.#needs
    this.#pollBeganAt = performance.now()
    try {
      const tenants = [...this.#tenants.keys()]
      const newest = await store.across('newest events of the tenants that are streamed', (tx) =>
        newestPositions(tx, tenants),
      )
      for (const [tenantId, watched] of this.#tenants) this.#notify(watched, newest.get(tenantId))
    } catch (error) {
      log.error({ err: error }, 'new events could not be polled')
    }
    this.#pollBeganAt = null
    this.#timer = null
    this.#schedule()
  }

  #schedule(): void {
    if (this.#pollBeganAt !== null || this.#timer !== null || this.#tenants.size === 0) return
    this.#timer = setTimeout(() => this.#poll(), POLL_MS).unref()
  }

  #notify(watched: Watched, newest: string | undefined): void {
    if (newest === watched.newest) return
    watched.newest = newest
    for (const listener of watched.listeners) listener()
  }
}

/**
 * Calls `listener` within about half a second of an event of the tenant, by any process. Returns a function that ends
 * the watch.
 */
export function watchEvents(needs: Needs, tenantId: TenantId, listener: () => void): () => void {
  return watchOf(needs).add(tenantId, listener)
}

/** Rejects if a poll of new events has not ended for a minute. */
export async function checkEventWatch(needs: Needs): Promise<void> {
  watchOf(needs).check()
}

function watchOf(needs: Needs): EventWatch {
  return needs.memory.single('events.watch', () => new EventWatch(needs))
}
