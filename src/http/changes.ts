import type { TenantId } from '../caller.ts'
import type { AcrossTx, Store } from '../store/store.ts'

/** Which thing somebody waits for. */
export type Awaited = { readonly tenantId: TenantId; readonly id: string }

/** A kind of thing whose changes can be waited for. */
export type Watched = {
  readonly name: string
  /**
   * A text for each of these things that is there, in one statement: another one whenever the thing is shown otherwise.
   *
   * @param now What has run out by then is shown as such.
   */
  readonly versions: (
    tx: AcrossTx,
    asked: readonly Awaited[],
    now: Date,
  ) => Promise<readonly (Awaited & { readonly version: string })[]>
}

/** One who waits. */
export type Watch = {
  /** Resolves when the thing may have changed since the last call, when `waitMs` have passed, or when the server stops. */
  readonly next: (waitMs: number) => Promise<void>
  /** Whether waiting makes sense any more: not when the server stops. */
  readonly isOpen: () => boolean
  readonly leave: () => void
}

type Waiter = Awaited & { readonly watched: Watched; version: string | null; wake: () => void }
type Hub = { readonly waiters: Set<Waiter>; isEnded: boolean; isLooking: boolean }

/** How often a process looks, for all who wait in it together: one statement for each kind of thing. */
const LOOK_MS = 300
const WAITERS_MAX = 2000
const WAITERS_OF_TENANT_MAX = 200

const hubs = new WeakMap<Store, Hub>()

/**
 * Begins to wait for changes, whoever makes them: this process or another one on the same database. What is changed is seen within about
 * 300 ms. Nothing is asked of the database while nobody waits, and nothing of those who make the changes.
 *
 * @returns null if the process or the tenant has too many waiting already, or the server stops.
 */
export function watch(store: Store, now: () => Date, watched: Watched, { tenantId, id }: Awaited): Watch | null {
  const hub = hubOf(store)
  if (hub.isEnded || hub.waiters.size >= WAITERS_MAX) return null
  const ofTenant = [...hub.waiters].filter((one) => one.tenantId === tenantId)
  if (ofTenant.length >= WAITERS_OF_TENANT_MAX) return null
  let isNews = false
  let resume: () => void = () => undefined
  const waiter: Waiter = {
    ...{ watched, tenantId, id, version: null },
    wake: () => {
      isNews = true
      resume()
    },
  }
  hub.waiters.add(waiter)
  if (!hub.isLooking) lookOn(hub, store, now)
  return {
    isOpen: () => !hub.isEnded,
    leave: () => hub.waiters.delete(waiter),
    next: async (waitMs) => {
      let timer: NodeJS.Timeout | undefined
      if (!isNews) {
        await new Promise<void>((resolve) => {
          resume = resolve
          timer = setTimeout(resolve, waitMs)
        })
      }
      clearTimeout(timer)
      isNews = false
    },
  }
}

/** Wakes everybody who waits in this process, for good: the server stops. */
export function endWatches(store: Store): void {
  const hub = hubOf(store)
  hub.isEnded = true
  for (const waiter of hub.waiters) waiter.wake()
}

function hubOf(store: Store): Hub {
  const known = hubs.get(store)
  if (known !== undefined) return known
  const made: Hub = { waiters: new Set(), isEnded: false, isLooking: false }
  hubs.set(store, made)
  return made
}

function lookOn(hub: Hub, store: Store, now: () => Date): void {
  hub.isLooking = true
  setTimeout(() => {
    look(hub, store, now)
      // The database is away for a moment: whoever waits goes on waiting.
      .catch(() => undefined)
      .finally(() => {
        if (hub.waiters.size > 0 && !hub.isEnded) lookOn(hub, store, now)
        else hub.isLooking = false
      })
  }, LOOK_MS)
}

async function look(hub: Hub, store: Store, now: () => Date): Promise<void> {
  for (const [watched, waiters] of Map.groupBy(hub.waiters, (one) => one.watched)) {
    const asked = [...new Map(waiters.map((one) => [nameOf(one), one])).values()]
    const found = await store.across('what the callers of all tenants wait for', (tx) =>
      watched.versions(tx, asked, now()),
    )
    const versions = new Map(found.map((one) => [nameOf(one), one.version]))
    for (const waiter of waiters) {
      const version = versions.get(nameOf(waiter)) ?? ''
      if (version === waiter.version) continue
      // The first look wakes too: what was read before it may have changed since.
      waiter.version = version
      waiter.wake()
    }
  }
}

function nameOf({ tenantId, id }: Awaited): string {
  return `${tenantId} ${id.toLowerCase()}`
}
