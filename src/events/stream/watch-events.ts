import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { Store } from '../../store/store.ts'
import { newestPositions } from './event-store.ts'

type Needs = Pick<Platform, 'store' | 'log'>
type Watched = { newest: string | undefined; readonly wakers: Set<() => void> }

const LOOK_MS = 500

/** Looks for news of all watched tenants of a process with one statement, and only while somebody watches. */
class Watch {
  readonly #needs: Needs
  readonly #tenants = new Map<TenantId, Watched>()
  #timer: NodeJS.Timeout | null = null
  #isLooking = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  add(tenantId: TenantId, wake: () => void): () => void {
    const watched = this.#tenants.get(tenantId) ?? { newest: undefined, wakers: new Set() }
    this.#tenants.set(tenantId, watched)
    watched.wakers.add(wake)
    this.#rest()
    return () => {
      watched.wakers.delete(wake)
      if (watched.wakers.size === 0) this.#tenants.delete(tenantId)
      if (this.#tenants.size > 0 || this.#timer === null) return
      clearTimeout(this.#timer)
      this.#timer = null
    }
  }

  async #look(): Promise<void> {
    const { store, log } = this.#needs
    this.#isLooking = true
    try {
      const tenants = [...this.#tenants.keys()]
      const newest = await store.across('news of the tenants whose events are streamed', (tx) =>
        newestPositions(tx, tenants),
      )
      for (const [tenantId, watched] of this.#tenants) this.#tell(watched, newest.get(tenantId))
    } catch (error) {
      log.error({ err: error }, 'the events could not be watched')
    }
    this.#isLooking = false
    this.#timer = null
    this.#rest()
  }

  #rest(): void {
    if (this.#isLooking || this.#timer !== null || this.#tenants.size === 0) return
    this.#timer = setTimeout(() => this.#look(), LOOK_MS).unref()
  }

  #tell(watched: Watched, newest: string | undefined): void {
    if (newest === watched.newest) return
    watched.newest = newest
    for (const wake of watched.wakers) wake()
  }
}

const watches = new WeakMap<Store, Watch>()

/** Calls `wake` within about half a second after an event of the tenant, whichever process recorded it. @returns how to end that. */
export function watchEvents(needs: Needs, tenantId: TenantId, wake: () => void): () => void {
  const watch = watches.get(needs.store) ?? new Watch(needs)
  watches.set(needs.store, watch)
  return watch.add(tenantId, wake)
}
