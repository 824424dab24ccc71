import pg from 'pg'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { type Acting, act, actValues, type Engine, type Run } from '../engine.ts'
import type { Sql } from '../store.ts'
import { explained } from './lost-connection.ts'
import { OneTrip, type Step, stepOf } from './one-trip.ts'

type Options = {
  readonly url: string
  readonly poolMax: number
  readonly onIdleError: (error: Error) => void
  /** For one round trip. Above `statement_timeout`, which ends a slow statement without its connection. */
  readonly answerMsMax?: number | undefined
}

/** For a connection. */
const WAIT_MS = 10_000
const ANSWER_MS_MAX = 20_000
const KEEPALIVE_AFTER_MS = 10_000
const begin = stepOf({ name: 'store.begin', text: 'begin' }, [])

/**
 * The engine for real use. What opens a transaction travels with its first statement, and a transaction of one statement is one round
 * trip and one write. Nothing outlives a transaction in the session but prepared statements, so a transaction-pooling proxy in between
 * (PgBouncer 1.21 or newer with `max_prepared_statements`) is fine.
 *
 * A connection that does not answer in time is closed, and its caller gets {@link DatabaseUnavailable}, as from a database that is away.
 */
export function openPostgresql({ url, poolMax, onIdleError, answerMsMax = ANSWER_MS_MAX }: Options): Engine {
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS }
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: Math.min(WAIT_MS, answerMsMax),
    ...alive,
  })
  pool.on('error', onIdleError)
  // An error of a connection in use rejects its statement; without a listener here it would also end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const inTime = <T>(answer: Promise<T>) => withDeadline(answer, answerMsMax)
  let trips = 0

  function send<Row>(client: pg.PoolClient, steps: readonly Step[]): Promise<Row[]> {
    trips += 1
    return inTime(client.query(new OneTrip<Row>(steps)).rows)
  }

  async function transaction<T>(opening: readonly Step[], work: (run: Run) => Promise<T>): Promise<T> {
    const client = await connect(pool)
    let isBroken = false
    let opened = false
    const run: Run = async <Row>(statement: Sql, values: readonly unknown[] = []) => {
      const step = stepOf(statement, values)
      const steps = opened ? [step] : [...opening, step]
      opened = true
      return send<Row>(client, steps)
    }
    try {
      const result = await work(run)
      if (opened) {
        trips += 1
        await commit(inTime(client.query('commit')))
      }
      return result
    } catch (error) {
      isBroken = error instanceof DatabaseUnavailable || (opened && !(await succeeds(inTime(client.query('rollback')))))
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  async function single<Row>(acting: Acting, statement: Sql, values: readonly unknown[]): Promise<Row[]> {
    const steps = [stepOf(act, actValues(acting)), stepOf(statement, values)]
    const client = await connect(pool)
    let isClean = false
    try {
      const rows = await send<Row>(client, steps)
      isClean = true
      return rows
    } catch (error) {
      isClean = error instanceof pg.DatabaseError && error.severity === 'ERROR'
      throw error
    } finally {
      client.release(!isClean)
    }
  }

  async function asOwner<T>(work: (script: (text: string) => Promise<void>, run: Run) => Promise<T>): Promise<T> {
    const client = await connect(pool)
    let isClean = false
    // Without a deadline: a migration may wait for another process, or take long itself.
    const script = async (text: string) => {
      await client.query(text)
    }
    try {
      await inTime(client.query('begin'))
      const result = await work(script, (statement, values = []) => send(client, [stepOf(statement, values)]))
      await commit(inTime(client.query('commit')))
      isClean = true
      return result
    } finally {
      client.release(!isClean)
    }
  }

  return {
    kind: 'postgresql',
    transaction: (acting, work) => transaction([begin, stepOf(act, actValues(acting))], work),
    single,
    asOwner,
    roundTrips: () => trips,
    close: () => pool.end(),
  }
}

/** Nothing was sent when no connection could be made, so that is tried once more; not where it took long already. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect().catch((error: Error) => {
      if (/timeout/.test(error.message)) throw error
      return pool.connect()
    })
  } catch (error) {
    throw explained(error)
  }
}

async function withDeadline<T>(answer: Promise<T>, msMax: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${msMax} ms`)), msMax)
  try {
    return await Promise.race([answer, late])
  } catch (error) {
    throw explained(error)
  } finally {
    clearTimeout(timer)
  }
}

async function commit(answer: Promise<pg.QueryResult>): Promise<void> {
  const { command } = await answer
  // A failed statement whose error was swallowed turns COMMIT into ROLLBACK without an error: say it.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

function succeeds(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  )
}
