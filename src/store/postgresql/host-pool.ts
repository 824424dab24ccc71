import pg from 'pg'
import { DatabaseUnavailable } from '../database-unavailable.ts'

/** The connections to one server. */
type HostPool = {
  /**
   * Returns a connection, as soon as there is one: one in use, where the server takes no more of them.
   *
   * @throws DatabaseUnavailable when the server is abandoned meanwhile
   */
  readonly connect: () => Promise<pg.PoolClient>
  /** Whether a connection is one of these, and in use. */
  readonly holds: (client: pg.PoolClient) => boolean
  /**
   * Ends the statements on connections in use, and the waiting of callers for one: the server is silent. Later callers
   * are not concerned.
   */
  readonly abandon: () => void
  readonly close: () => Promise<void>
}

const KEEPALIVE_AFTER_MS = 10_000

/** Opens a pool. @param onIdleError Told of errors of connections that no caller uses. */
export function openHostPool(settings: pg.PoolConfig, onIdleError: (error: Error) => void): HostPool {
  const pool = new pg.Pool({ ...settings, keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS })
  const inUse = new Set<pg.PoolClient>()
  /** Callers that wait for a connection in use, in their order. */
  const turns: (() => void)[] = []
  /** Ends the waiting of a caller. */
  const waiting = new Set<() => void>()
  pool.on('error', onIdleError)
  // An error of a connection in use rejects its statement; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('acquire', (client) => inUse.add(client))
  pool.on('release', (_error, client) => {
    inUse.delete(client)
    // The pool has the connection back, or has dropped it, once this event is over.
    setImmediate(() => turns.shift()?.())
  })
  const oneInUse = (untilMs: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.push(resolve)
    const timer = setTimeout(resolve, untilMs - performance.now())
    return promise.finally(() => {
      clearTimeout(timer)
      const place = turns.indexOf(resolve)
      if (place >= 0) turns.splice(place, 1)
    })
  }
  const connect = async (untilMs: number): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isFull(error) || inUse.size === 0) throw error
        if (performance.now() >= untilMs)
          throw new DatabaseUnavailable('timeout exceeded when waiting for a connection in use', { cause: error })
        await oneInUse(untilMs)
      }
    }
  }
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        const end = () => reject(new DatabaseUnavailable('the server was left'))
        waiting.add(end)
        connect(performance.now() + (settings.connectionTimeoutMillis ?? 0)).then(
          (client) => {
            if (waiting.delete(end)) resolve(client)
            else client.release(true)
          },
          (error) => {
            waiting.delete(end)
            reject(error)
          },
        )
      }),
    holds: (client) => inUse.has(client),
    abandon: () => {
      // With a statement in progress the driver closes the connection at once, without a word to the server.
      for (const client of inUse) void client.end().catch(() => undefined)
      for (const end of waiting) end()
      waiting.clear()
    },
    close: () => pool.end(),
  }
}

/** Whether the server, or a proxy before it (PgBouncer), takes no more connections, while those that are open work. */
function isFull(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && (error.code === '53300' || /^no more connections allowed/.test(error.message))
  )
}
