import type { Changes, Watch, WatchedKind, WatchedRow } from '../platform.ts'
import type { Store } from '../store/store.ts'

type Waiter = WatchedRow & { readonly watched: WatchedKind; version: string | null; wake: () => void }
type Hub = { readonly waiters: Set<Waiter>; isEnded: boolean; isLooking: boolean }

/** How often a process looks, for all who wait in it together: one statement for each kind of thing. */
const LOOK_MS = 300
const WAITERS_MAX = 2000
const WAITERS_OF_TENANT_MAX = 200

/** Opens the waiting of one server. Nothing runs before the first `watch`. */
export function openChanges(store: Pick<Store, 'across'>, now: () => Date): Changes {
  const hub: Hub = { waiters: new Set(), isEnded: false, isLooking: false }
  return {
    watch: (watched, { tenantId, id }) => {
      if (hub.isEnded || hub.waiters.size >= WAITERS_MAX) return null
      const ofTenant = [...hub.waiters].filter((one) => one.tenantId === tenantId)
      if (ofTenant.length >= WAITERS_OF_TENANT_MAX) return null
      const { waiter, next } = openWaiter(watched, { tenantId, id })
      hub.waiters.add(waiter)
      if (!hub.isLooking) lookOn(hub, store, now)
      return { isOpen: () => !hub.isEnded, leave: () => hub.waiters.delete(waiter), next }
    },
    end: () => {
      hub.isEnded = true
      for (const waiter of hub.waiters) waiter.wake()
    },
  }
}

function openWaiter(watched: WatchedKind, awaited: WatchedRow): { waiter: Waiter; next: Watch['next'] } {
  let isNews = false
  let resume: () => void = () => undefined
  const wake = () => {
    isNews = true
    resume()
  }
  const next = async (waitMs: number) => {
    let timer: NodeJS.Timeout | undefined
    if (!isNews) {
      await new Promise<void>((resolve) => {
        resume = resolve
        timer = setTimeout(resolve, waitMs)
      })
    }
    clearTimeout(timer)
    isNews = false
  }
  return { waiter: { ...awaited, watched, version: null, wake }, next }
}

function lookOn(hub: Hub, store: Pick<Store, 'across'>, now: () => Date): void {
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

async function look(hub: Hub, store: Pick<Store, 'across'>, now: () => Date): Promise<void> {
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

function nameOf({ tenantId, id }: WatchedRow): string {
  return `${tenantId} ${id.toLowerCase()}`
}
