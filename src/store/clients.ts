import type pg from 'pg'

const REST_MS = 10_000

/**
 * Connections at rest, in front of the library's pool. Taking one out of the pool and putting it back costs timers, listeners and turns of the
 * event loop, each time; a server that is at work takes one several thousand times a second. So a connection that was just used is kept aside, and
 * goes back to the pool, which closes it in time, when all are at rest for long or when somebody waits there.
 */
export class Clients {
  readonly #pool: pg.Pool
  readonly #onIdleError: (error: Error) => void
  readonly #resting: pg.PoolClient[] = []
  readonly #known = new WeakSet<pg.PoolClient>()
  readonly #broken = new WeakSet<pg.PoolClient>()
  readonly #timer: NodeJS.Timeout

  constructor(pool: pg.Pool, onIdleError: (error: Error) => void) {
    this.#pool = pool
    this.#onIdleError = onIdleError
    pool.on('error', onIdleError)
    this.#timer = setInterval(() => this.#rest(), REST_MS).unref()
  }

  /** A connection for one user at a time, who gives it back. Waits when all are taken. @throws when none can be had within the pool's time */
  async take(): Promise<pg.PoolClient> {
    const resting = this.#resting.pop()
    if (resting !== undefined) return resting
    const client = await this.#pool.connect()
    if (!this.#known.has(client)) {
      this.#known.add(client)
      client.on('error', (error) => this.#lost(client, error))
    }
    return client
  }

  /** @param isBroken Its state is in doubt: it is closed and not used again. */
  give(client: pg.PoolClient, isBroken = false): void {
    if (isBroken || this.#broken.has(client)) client.release(true)
    else if (this.#pool.waitingCount > 0) client.release()
    else this.#resting.push(client)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#rest()
    await this.#pool.end()
  }

  #rest(): void {
    for (const client of this.#resting.splice(0)) client.release()
  }

  /** The server closed it. Who is using it hears so from the statement that fails. */
  #lost(client: pg.PoolClient, error: Error): void {
    this.#broken.add(client)
    const at = this.#resting.indexOf(client)
    if (at === -1) return
    this.#resting.splice(at, 1)
    client.release(true)
    this.#onIdleError(error)
  }
}
