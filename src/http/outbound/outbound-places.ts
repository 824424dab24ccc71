import { Fault } from '../../fault.ts'
import { tenantOfWork } from '../routes/tenant-of-work.ts'

/** Concurrent calls of one tenant, in total and to one host; and calls that may wait. */
const CALLS_MAX = 32
const CALLS_PER_HOST_MAX = 8
const WAITING_MAX = 128

type Queue = { busy: number; readonly waiting: Set<() => void> }

/** Limits the concurrent outbound calls of each tenant, in total and per host, so that slow hosts of one tenant do not occupy all sockets. */
export class OutboundPlaces {
  readonly #queues = new Map<string, Queue>()

  /**
   * Runs a call within the limits of the current tenant; further calls wait in FIFO order.
   *
   * @throws Fault `upstream.timeout` if too many calls wait; the reason of `signal` if it is aborted
   */
  hold<T>(host: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const tenant = tenantOfWork()
    // The host first: a call that waits for a slow host must not occupy a place of the tenant.
    return this.#limit(`${tenant} ${host}`, CALLS_PER_HOST_MAX, signal, () =>
      this.#limit(tenant, CALLS_MAX, signal, call),
    )
  }

  async #limit<T>(name: string, most: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { busy: 0, waiting: new Set() }
    this.#queues.set(name, queue)
    if (queue.busy < most) queue.busy += 1
    else await nextTurn(queue, signal)
    try {
      return await work()
    } finally {
      const [next] = queue.waiting
      if (next !== undefined) next()
      else queue.busy -= 1
      if (queue.busy === 0) this.#queues.delete(name)
    }
  }
}

/** Waits until another call ends. */
async function nextTurn({ waiting }: Queue, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (waiting.size >= WAITING_MAX) {
    throw new Fault('upstream.timeout', { detail: 'This tenant has too many outbound calls in progress.' })
  }
  const turn = Promise.withResolvers<void>()
  const start = () => {
    waiting.delete(start)
    signal.removeEventListener('abort', stop)
    turn.resolve()
  }
  const stop = () => {
    waiting.delete(start)
    turn.reject(signal.reason)
  }
  waiting.add(start)
  signal.addEventListener('abort', stop, { once: true })
  return turn.promise
}
