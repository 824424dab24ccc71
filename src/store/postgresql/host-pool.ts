import pg from 'pg'
import { DatabaseUnavailable } from '../database-unavailable.ts'

/** The connections to one server. */
type HostPool = {
  /** Returns a connection, as soon as there is one. @throws DatabaseUnavailable when the server is abandoned meanwhile */
  readonly connect: () => Promise<pg.PoolClient>
  /** Whether a connection is one of these, and in use. */
  readonly holds: (client: pg.PoolClient) => boolean
  /** Ends the statements on connections in use, and the waiting of callers for one: the server is silent. Later callers are not concerned. */
  readonly abandon: () => void
  readonly close: () => Promise<void>
}

const KEEPALIVE_AFTER_MS = 10_000

/** Opens a pool. @param onIdleError Told of errors of connections that no caller uses. */
export function openHostPool(settings: pg.PoolConfig, onIdleError: (error: Error) => void): HostPool {
  const pool = new pg.Pool({ ...settings, keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS })
  const inUse = new Set<pg.PoolClient>()
  /** Ends the waiting of a caller. */
  const waiting = new Set<() => void>()
  pool.on('error', onIdleError)
  // An error of a connection in use rejects its statement; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('acquire', (client) => inUse.add(client))
  pool.on('release', (_error, client) => inUse.delete(client))
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        const end = () => reject(new DatabaseUnavailable('the server was left'))
        waiting.add(end)
        pool.connect().then(
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
