import type pg from 'pg'
import { readDatabaseUrl } from '../../config/database-url.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { openHostPool } from './host-pool.ts'
import { explained } from './lost-connection.ts'

/**
 * PostgreSQL ends a session whose peer does not answer: 30 s after it last heard from it, or after it sent something.
 * By default it waits two hours, in which a machine that vanished keeps its locks and places.
 */
const TELL_OF_DEAD_PEERS =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4; ' +
  'set tcp_user_timeout = 30000'

type Options = {
  readonly url: string
  readonly poolMax: number
  readonly answerMsMax: number
  readonly onIdleError: (error: Error) => void
}

/** The servers of one database, of which one accepts writes. */
type Hosts = {
  /** Returns a connection. @throws DatabaseUnavailable */
  readonly connect: () => Promise<pg.PoolClient>
  /**
   * Abandons the server of a connection that failed: every connection that was opened before is closed instead of used
   * again. `isSilent`: it did not answer in time, so statements on its other connections end too, and callers that wait
   * for a connection get one of the next server.
   */
  readonly leave: (client: pg.PoolClient, isSilent: boolean) => void
  /** Returns the URL of the host of the last connection. */
  readonly url: () => string
  readonly close: () => Promise<void>
}

/**
 * Opens a pool of connections for each host. They are tried in order, beginning with the one that was used last; each
 * may take an equal part of the time limit. A server that does not accept writes is skipped, so a client finds the new
 * primary after a failover.
 */
export function openHosts({ url, poolMax, answerMsMax, onIdleError }: Options): Hosts {
  const { urls, mustWrite } = readDatabaseUrl(url)
  const waitMsMax = Math.ceil(answerMsMax / urls.length)
  /** The era in which a connection was opened. `leave` ends one. */
  const eras = new WeakMap<pg.ClientBase, number>()
  let era = 0
  let current = 0
  const onConnect = async (client: pg.ClientBase) => {
    const begun = era
    await inTime(client.query(TELL_OF_DEAD_PEERS), waitMsMax)
    if (mustWrite) await refuseReadOnly(client, waitMsMax)
    eras.set(client, begun)
  }
  const pools = urls.map((connectionString) => {
    const limits = { max: poolMax, connectionTimeoutMillis: waitMsMax }
    return openHostPool({ connectionString, ...limits, onConnect }, onIdleError)
  })

  async function connectTo(index: number): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pools[index]?.connect()
      if (client === undefined) throw new RangeError('no such host')
      if (eras.get(client) === era) return client
      client.release(true)
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    const first = current
    // Nothing was sent yet, so a single host is tried once more, unless it is only slow.
    const tries = Math.max(2, urls.length)
    for (let turn = 0; ; turn += 1) {
      const index = (first + turn) % urls.length
      try {
        const client = await connectTo(index)
        current = index
        return client
      } catch (error) {
        if (turn + 1 >= tries || isLate(error, urls.length)) throw explained(error)
      }
    }
  }

  return {
    connect,
    url: () => urls[current] ?? '',
    leave: (client, isSilent) => {
      if (eras.get(client) !== era) return
      era += 1
      current = (current + 1) % urls.length
      if (isSilent) pools.find((pool) => pool.holds(client))?.abandon()
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

/** Whether another try is useless: all connections are in use, or the only host does not answer. */
function isLate(error: unknown, hosts: number): boolean {
  if (!(error instanceof Error)) return false
  return /timeout exceeded/.test(error.message) || (hosts === 1 && /timeout/.test(error.message))
}

async function refuseReadOnly(client: pg.ClientBase, msMax: number): Promise<void> {
  const question = client.query<{ transaction_read_only: string }>('show transaction_read_only')
  const { rows } = await inTime(question, msMax)
  if (rows[0]?.transaction_read_only !== 'off') throw new DatabaseUnavailable('the server does not accept writes')
}

function inTime<T>(answer: Promise<T>, msMax: number): Promise<T> {
  return withTimeLimit(answer, msMax, () => new Error(`no answer within ${msMax} ms`))
}
