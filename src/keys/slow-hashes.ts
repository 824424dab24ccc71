import { Fault } from '../fault.ts'
import type { Memory } from '../memory/memory.ts'

/** Each hash occupies one of the four threads of the process for tens of milliseconds; files and keys need them, too. */
const RUNNING_MAX = 2
const WAITING_MAX = 64
/** The other places in the queue are for callers that authenticated before. */
const UNPROVEN_WAITING_MAX = 32

/** Semaphore of a process for slow hashes: at most 2 run concurrently, FIFO, with a bounded queue. */
export class SlowHashes {
  readonly #queue: (() => void)[] = []
  #running = 0

  /** Returns the one semaphore of a server. */
  static of({ memory }: { readonly memory: Memory }): SlowHashes {
    return memory.single('keys.slow_hashes', () => new SlowHashes())
  }

  /**
   * Runs `work`, which hashes, when there is a place. Several hashes in one `work` run one after the other.
   *
   * @param isProven Whether the caller authenticated before, as a client or device.
   * @throws Fault `request.rate_limited` when the queue is full
   */
  async run<T>(isProven: boolean, work: () => Promise<T>): Promise<T> {
    await this.#acquire(isProven)
    return work().finally(() => this.#release())
  }

  async #acquire(isProven: boolean): Promise<void> {
    if (this.#running >= RUNNING_MAX) {
      if (this.#queue.length >= (isProven ? WAITING_MAX : UNPROVEN_WAITING_MAX)) {
        throw new Fault('request.rate_limited', { meta: { retryAfterSeconds: 1 } })
      }
      // #release hands its permit over without freeing it.
      return new Promise((resolve) => this.#queue.push(resolve))
    }
    this.#running += 1
  }

  #release(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
