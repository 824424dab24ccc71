import { FairPlaces } from '../memory/fair-places.ts'
import { places } from '../memory/places.ts'
import type { Changes, Watch, WatchedKind, WatchedRow } from '../platform.ts'
import type { Store } from '../store/store.ts'
import { STUCK_MS } from '../time-limit.ts'

type Waiter = WatchedRow & { readonly watched: WatchedKind; version: string | null; wake: () => void }
type Hub = { readonly waiters: Set<Waiter>; isEnded: boolean; isPolling: boolean; pollBeganAt: number | null }

/** How often a process polls for all its waiting callers, with one statement for each kind of resource. */
const POLL_MS = 300

/** Returns what waits for changes in one server. Nothing runs before the first `watch`. */
export function openChanges(store: Pick<Store, 'across'>, now: () => Date): Changes {
  const hub: Hub = { waiters: new Set(), isEnded: false, isPolling: false, pollBeganAt: null }
  const shares = new FairPlaces(places['api.watched_rows'])
  return {
    watch: (watched, { tenantId, id }) => {
      const release = hub.isEnded ? null : shares.tryTake(tenantId)
      if (release === null) return null
      const { waiter, next } = openWaiter(watched, { tenantId, id })
      hub.waiters.add(waiter)
      if (!hub.isPolling) schedulePoll(hub, store, now)
      const close = () => {
        hub.waiters.delete(waiter)
        release()
      }
      return { isOpen: () => !hub.isEnded, close, next }
    },
    check: async () => {
      const { pollBeganAt } = hub
      if (pollBeganAt !== null && performance.now() - pollBeganAt > STUCK_MS) throw new Error('a poll does not end')
    },
    end: () => {
      hub.isEnded = true
      for (const waiter of hub.waiters) waiter.wake()
    },
  }
}

function openWaiter(watched: WatchedKind, awaited: WatchedRow): { waiter: Waiter; next: Watch['next'] } {
  let isChanged = false
  let resume: () => void = () => undefined
  const wake = () => {
    isChanged = true
    resume()
  }
  const next = async (waitMs: number) => {
    let timer: NodeJS.Timeout | undefined
    if (!isChanged) {
      await new Promise<void>((resolve) => {
        resume = resolve
        timer = setTimeout(resolve, waitMs)
      })
    }
    clearTimeout(timer)
    isChanged = false
  }
  return { waiter: { ...awaited, watched, version: null, wake }, next }
}

function schedulePoll(hub: Hub, store: Pick<Store, 'across'>, now: () => Date): void {
  hub.isPolling = true
  setTimeout(() => {
    hub.pollBeganAt = performance.now()
    poll(hub, store, now)
      // The database is unavailable: the callers wait for the next poll.
      .catch(() => undefined)
      .finally(() => {
        hub.pollBeganAt = null
        if (hub.waiters.size > 0 && !hub.isEnded) schedulePoll(hub, store, now)
        else hub.isPolling = false
      })
  }, POLL_MS)
}

async function poll(hub: Hub, store: Pick<Store, 'across'>, now: () => Date): Promise<void> {
  for (const [watched, waiters] of Map.groupBy(hub.waiters, (one) => one.watched)) {
    const rows = [...new Map(waiters.map((one) => [nameOf(one), one])).values()]
    const found = await store.across('versions of the rows that callers wait for', (tx) =>
      watched.versions(tx, rows, now()),
    )
    const versions = new Map(found.map((one) => [nameOf(one), one.version]))
    for (const waiter of waiters) {
      const version = versions.get(nameOf(waiter)) ?? ''
      if (version === waiter.version) continue
      // The first poll wakes too, because the row may have changed since the caller read it.
      waiter.version = version
      waiter.wake()
    }
  }
}

function nameOf({ tenantId, id }: WatchedRow): string {
  return `${tenantId} ${id.toLowerCase()}`
}
