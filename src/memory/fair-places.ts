/**
 * Thrown when a caller must not even wait, since too many callers of the same key do, or when it has waited too long.
 * The room that owns the places turns it into a fault.
 */
export class NoPlace extends Error {}

/** Gives a place back; later calls do nothing. */
export type Release = () => void

type Waiting = { readonly amount: number; readonly start: () => void }
type Share = { held: number; readonly waiting: Set<Waiting> }

/** `countMax`: how many places there are. `waitingMax`: how many callers of one key may wait. */
export type Bounds = { readonly countMax: number; readonly waitingMax: number }

/** `amount`: of places, 1 by default. `signal` ends the waiting, and so does `waitMsMax`, which costs less. */
export type Taking = { readonly amount?: number; readonly signal?: AbortSignal; readonly waitMsMax?: number }

/** How many places a key may hold for each place that remains free for it: one key alone gets about six tenths. */
const HELD_FOR_EACH_FREE = 2
/** One place of so many is for keys that hold none. */
const KEPT_OF = 8

/**
 * A number of places that keys share fairly. A key gets a further place only while it holds at most twice the places
 * that remain free then, less an eighth of all. So an eighth and one more go to keys that hold none, however many keys
 * take all that they can: releases restore them. Keys that wait are served in the order of what they hold, the callers
 * of one key in FIFO order; an amount that is not free yet waits longer than smaller ones of other keys. A free place
 * is taken synchronously, without a timer: holders release their places, within a time limit of their own.
 *
 * An amount may be more than one place (bytes, for example). A key that holds nothing is admitted with any amount that
 * is free; an amount above `countMax` counts as `countMax`.
 *
 * @see Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM Transactions
 *   on Networking 6(2), 1998
 */
export class FairPlaces {
  readonly #bounds: Bounds
  readonly #shares = new Map<string, Share>()
  /** The shares with callers that wait; that which was served last is at the end. */
  readonly #waiting = new Set<Share>()
  /** Places for keys that hold none. */
  readonly #kept: number
  #free: number

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.#kept = Math.floor(bounds.countMax / KEPT_OF)
    this.#free = bounds.countMax
  }

  /** Whether no place is held and no caller waits. */
  get isIdle(): boolean {
    return this.#shares.size === 0
  }

  /** Takes a place at once. @returns null if the key has its share, or callers of the key wait */
  tryTake(key: string, amount = 1): Release | null {
    const share = this.#shareOf(key)
    const bounded = Math.min(amount, this.#bounds.countMax)
    if (share.waiting.size > 0 || !this.#admits(share, bounded)) return null
    return this.#occupy(key, share, bounded)
  }

  /**
   * Takes a place as soon as the key may have one.
   *
   * @throws NoPlace if `waitingMax` callers of the key wait already, or after `waitMsMax`; the reason of `signal` if it
   *   is aborted meanwhile
   */
  async take(key: string, { amount = 1, signal, waitMsMax }: Taking = {}): Promise<Release> {
    signal?.throwIfAborted()
    const taken = this.tryTake(key, amount)
    if (taken !== null) return taken
    const share = this.#shareOf(key)
    if (share.waiting.size >= this.#bounds.waitingMax) throw new NoPlace('too many callers wait for a place')
    const bounded = Math.min(amount, this.#bounds.countMax)
    const turn = Promise.withResolvers<Release>()
    const waiting = { amount: bounded, start: () => turn.resolve(this.#occupy(key, share, bounded)) }
    const leave = (reason: unknown) => {
      share.waiting.delete(waiting)
      this.#forgetIdle(key, share)
      turn.reject(reason)
      this.#admitWaiting()
    }
    share.waiting.add(waiting)
    this.#shares.set(key, share)
    this.#waiting.add(share)
    const stop = () => leave(signal?.reason)
    const late = () => leave(new NoPlace('no place in time'))
    const timer = waitMsMax === undefined ? undefined : setTimeout(late, waitMsMax)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await turn.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Runs `work` in a place. @throws as {@link take} */
  async hold<T>(key: string, work: () => Promise<T>, taking: Taking = {}): Promise<T> {
    const release = await this.take(key, taking)
    try {
      return await work()
    } finally {
      release()
    }
  }

  #admits({ held }: Share, amount: number): boolean {
    if (amount > this.#free) return false
    return held === 0 || held + amount <= HELD_FOR_EACH_FREE * (this.#free - amount - this.#kept)
  }

  #occupy(key: string, share: Share, amount: number): Release {
    this.#shares.set(key, share)
    share.held += amount
    this.#free -= amount
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      share.held -= amount
      this.#free += amount
      this.#forgetIdle(key, share)
      this.#admitWaiting()
    }
  }

  /** Admits the first caller of the key that holds least, until none may be admitted. */
  #admitWaiting(): void {
    for (;;) {
      const next = this.#nextShare()
      const [first] = next?.waiting ?? []
      if (next === null || first === undefined) return
      next.waiting.delete(first)
      this.#waiting.delete(next)
      if (next.waiting.size > 0) this.#waiting.add(next)
      first.start()
    }
  }

  /**
   * Of the shares whose first caller may be admitted, that which holds least; of equal ones that which was served
   * longest ago.
   */
  #nextShare(): Share | null {
    let next: Share | null = null
    for (const share of this.#waiting) {
      const [first] = share.waiting
      if (first === undefined || !this.#admits(share, first.amount)) continue
      if (next === null || share.held < next.held) next = share
    }
    return next
  }

  #shareOf(key: string): Share {
    return this.#shares.get(key) ?? { held: 0, waiting: new Set() }
  }

  #forgetIdle(key: string, share: Share): void {
    if (share.waiting.size === 0) this.#waiting.delete(share)
    if (share.held === 0 && share.waiting.size === 0) this.#shares.delete(key)
  }
}
