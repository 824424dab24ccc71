import type pg from 'pg'

const TICK_MS = 1_000
/** A connection that nobody needed for so many ticks goes back to the pool, which closes it in time. */
const REST_TICKS = 10

type Waiter = {
  readonly until: number
  readonly take: (client: pg.PoolClient) => void
  readonly fail: (error: Error) => void
}

/** `connectionsMax` at once; who waits for one longer than `waitMs` is refused. */
type Bounds = { readonly connectionsMax: number; readonly waitMs: number }

/**
 * Connections at hand, in front of the library's pool. Taking one out of the pool and putting it back costs timers, listeners and turns of the
 * event loop, each time; a server that is at work takes one several thousand times a second. So a connection that was just used is given to
 * who waits or kept aside, and goes back to the pool, which opens and closes them, only when it was idle for long.
 */
export class Clients {
  readonly #pool: pg.Pool
  readonly #bounds: Bounds
  readonly #onIdleError: (error: Error) => void
  /** The one used last is used first, so that those that are not needed come to rest. */
  readonly #idle: pg.PoolClient[] = []
  readonly #waiting: Waiter[] = []
  readonly #known = new WeakSet<pg.PoolClient>()
  readonly #broken = new WeakSet<pg.PoolClient>()
  readonly #timer: NodeJS.Timeout
  /** Out of the pool, or on their way. */
  #out = 0
  #ticks = 0
  #isClosing = false
  /** The fewest that were idle since the last rest. */
  #idleMin = 0

  constructor(pool: pg.Pool, bounds: Bounds, onIdleError: (error: Error) => void) {
    this.#pool = pool
    this.#bounds = bounds
    this.#onIdleError = onIdleError
    pool.on('error', onIdleError)
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  /** A connection for one user at a time, who gives it back. Waits when all are taken. @throws when none can be had in time */
  take(): pg.PoolClient | Promise<pg.PoolClient> {
    const client = this.#idle.pop()
    if (client !== undefined) {
      if (this.#idle.length < this.#idleMin) this.#idleMin = this.#idle.length
      return client
    }
    return this.#out < this.#bounds.connectionsMax ? this.#connect() : this.#wait()
  }

  /** @param isBroken Its state is in doubt: it is closed and not used again. */
  give(client: pg.PoolClient, isBroken = false): void {
    if (isBroken || this.#isClosing || this.#broken.has(client)) {
      this.#drop(client, isBroken || this.#broken.has(client))
      return
    }
    const waiter = this.#waiting.shift()
    if (waiter === undefined) this.#idle.push(client)
    else waiter.take(client)
  }

  /** Ends when everybody has given back what they took. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    for (const client of this.#idle.splice(0)) this.#drop(client, false)
    await this.#pool.end()
  }

  async #connect(): Promise<pg.PoolClient> {
    this.#out += 1
    try {
      const client = await this.#pool.connect()
      if (!this.#known.has(client)) {
        this.#known.add(client)
        client.on('error', (error) => this.#lost(client, error))
      }
      return client
    } catch (error) {
      this.#out -= 1
      // Nobody may be left who gives back a connection: the next one tries, and hears what is wrong.
      this.#replace()
      throw error
    }
  }

  #wait(): Promise<pg.PoolClient> {
    return new Promise((take, fail) => {
      this.#waiting.push({ until: Date.now() + this.#bounds.waitMs, take, fail })
    })
  }

  #drop(client: pg.PoolClient, isBroken: boolean): void {
    client.release(isBroken)
    this.#out -= 1
    this.#replace()
  }

  /** A new connection for whoever waits longest, where one less is out. */
  #replace(): void {
    const waiter = this.#waiting.shift()
    if (waiter !== undefined) this.#connect().then(waiter.take, waiter.fail)
  }

  /** The server closed it. Who is using it hears so from the statement that fails. */
  #lost(client: pg.PoolClient, error: Error): void {
    this.#broken.add(client)
    const at = this.#idle.indexOf(client)
    if (at === -1) return
    this.#idle.splice(at, 1)
    this.#drop(client, true)
    this.#onIdleError(error)
  }

  #tick(): void {
    const now = Date.now()
    while (this.#waiting[0] !== undefined && this.#waiting[0].until <= now) {
      this.#waiting.shift()?.fail(new Error('no connection to the database was free in time'))
    }
    this.#ticks = (this.#ticks + 1) % REST_TICKS
    if (this.#ticks !== 0) return
    for (const client of this.#idle.splice(0, this.#idleMin)) this.#drop(client, false)
    this.#idleMin = this.#idle.length
  }
}
