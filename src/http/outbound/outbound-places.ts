import { Fault } from '../../fault.ts'
import { tenantOfWork } from '../routes/tenant-of-work.ts'

/** Calls of one tenant under way, in all and to one destination; and those that wait for a place. */
const CALLS_MAX = 32
const CALLS_OF_DESTINATION_MAX = 8
const WAITING_MAX = 128

type Line = { busy: number; readonly waiting: Set<() => void> }

/** Gives each tenant its places on the way out, so that slow destinations of one tenant do not occupy the sockets of all. */
export class OutboundPlaces {
  readonly #lines = new Map<string, Line>()

  /**
   * Runs a call when the current tenant has a place for it; the others wait in turn.
   *
   * @throws Fault `upstream.timeout` if too many wait already; what `signal` was aborted with
   */
  hold<T>(host: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const tenant = tenantOfWork()
    // The destination first: a call that waits for a slow one must not occupy a place that another destination could use.
    return this.#inLine(`${tenant} ${host}`, CALLS_OF_DESTINATION_MAX, signal, () =>
      this.#inLine(tenant, CALLS_MAX, signal, call),
    )
  }

  async #inLine<T>(name: string, most: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? { busy: 0, waiting: new Set() }
    this.#lines.set(name, line)
    if (line.busy < most) line.busy += 1
    else await turnIn(line, signal)
    try {
      return await work()
    } finally {
      const [next] = line.waiting
      if (next !== undefined) next()
      else line.busy -= 1
      if (line.busy === 0) this.#lines.delete(name)
    }
  }
}

/** Waits for the place of a call that ends. */
async function turnIn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (waiting.size >= WAITING_MAX) {
    throw new Fault('upstream.timeout', { detail: 'Too many calls of this tenant are under way.' })
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
