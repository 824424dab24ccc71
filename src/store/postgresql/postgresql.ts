import pg from 'pg'
import { withTimeLimit } from '../../time-limit.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { type Engine, type RunStatement, sessionContextValues, setSessionContext } from '../engine.ts'
import type { Sql } from '../store.ts'
import { explained } from './lost-connection.ts'
import { OneTrip, type Step, stepOf } from './one-trip.ts'

type Options = {
  readonly url: string
  readonly poolMax: number
  readonly onIdleError: (error: Error) => void
  /** Time limit of one round trip. Above `statement_timeout`, which ends a slow statement but not its connection. */
  readonly answerMsMax?: number | undefined
}

/** Time limit for a connection from the pool. */
const WAIT_MS = 10_000
const ANSWER_MS_MAX = 20_000
const KEEPALIVE_AFTER_MS = 10_000
const begin = stepOf({ name: 'store.begin_transaction', text: 'begin' }, [])

/**
 * Opens the engine for production. The statements that open a transaction are sent with its first statement; a transaction of one statement is
 * one round trip. A session keeps only prepared statements after a transaction, so a transaction-pooling proxy (PgBouncer 1.21 or newer with
 * `max_prepared_statements`) works.
 *
 * A connection that does not respond in time is closed, and the caller gets {@link DatabaseUnavailable}.
 */
export function openPostgresql({ url, poolMax, onIdleError, answerMsMax = ANSWER_MS_MAX }: Options): Engine {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: poolMax, connectionTimeoutMillis: Math.min(WAIT_MS, answerMsMax) },
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS },
  })
  pool.on('error', onIdleError)
  // An error of a connection in use rejects its statement; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  let trips = 0
  const link: Link = {
    connect: () => connect(pool),
    send: <Row>(client: pg.PoolClient, steps: readonly Step[]) => {
      trips += 1
      return withDeadline(client.query(new OneTrip<Row>(steps)).rows, answerMsMax)
    },
    control: (client, text) => {
      trips += 1
      return withDeadline(client.query(text), answerMsMax)
    },
  }
  return {
    kind: 'postgresql',
    transaction: (context, work) =>
      transaction(link, [begin, stepOf(setSessionContext, sessionContextValues(context))], work),
    single: async (context, statement, values) =>
      single(link, [stepOf(setSessionContext, sessionContextValues(context)), stepOf(statement, values)]),
    asOwner: (work) => asOwner(link, work),
    roundTrips: () => trips,
    close: () => pool.end(),
  }
}

/** Sends statements, and the commands that begin and end a transaction. */
type Link = {
  readonly connect: () => Promise<pg.PoolClient>
  readonly send: <Row>(client: pg.PoolClient, steps: readonly Step[]) => Promise<Row[]>
  readonly control: (client: pg.PoolClient, text: 'begin' | 'commit' | 'rollback') => Promise<pg.QueryResult>
}

async function transaction<T>(
  link: Link,
  opening: readonly Step[],
  work: (run: RunStatement) => Promise<T>,
): Promise<T> {
  const client = await link.connect()
  let isBroken = false
  let opened = false
  const run: RunStatement = async <Row>(statement: Sql, values: readonly unknown[] = []) => {
    const step = stepOf(statement, values)
    const steps = opened ? [step] : [...opening, step]
    opened = true
    return link.send<Row>(client, steps)
  }
  try {
    const result = await work(run)
    if (opened) await commit(link, client)
    return result
  } catch (error) {
    isBroken = error instanceof DatabaseUnavailable || (opened && !(await hasRolledBack(link, client)))
    throw error
  } finally {
    client.release(isBroken)
  }
}

async function single<Row>(link: Link, steps: readonly Step[]): Promise<Row[]> {
  const client = await link.connect()
  let isClean = false
  try {
    const rows = await link.send<Row>(client, steps)
    isClean = true
    return rows
  } catch (error) {
    // A refused statement leaves the connection usable; an error that ends the session does not.
    isClean = error instanceof pg.DatabaseError && error.severity === 'ERROR'
    throw error
  } finally {
    client.release(!isClean)
  }
}

async function asOwner<T>(
  link: Link,
  work: (script: (text: string) => Promise<void>, run: RunStatement) => Promise<T>,
): Promise<T> {
  const client = await link.connect()
  let isClean = false
  // Without a time limit: a migration may wait for another process, or take long.
  const script = async (text: string) => {
    await client.query(text)
  }
  try {
    await link.control(client, 'begin')
    const result = await work(script, (statement, values = []) => link.send(client, [stepOf(statement, values)]))
    await commit(link, client)
    isClean = true
    return result
  } finally {
    client.release(!isClean)
  }
}

/** Connects, with one retry, since nothing was sent yet; not after a timeout. */
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
  return withTimeLimit(answer, msMax, () => new Error(`no answer within ${msMax} ms`)).catch((error) => {
    throw explained(error)
  })
}

async function commit(link: Link, client: pg.PoolClient): Promise<void> {
  const { command } = await link.control(client, 'commit')
  // After a failed statement whose error was swallowed PostgreSQL answers COMMIT with ROLLBACK, without an error.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

function hasRolledBack(link: Link, client: pg.PoolClient): Promise<boolean> {
  return link.control(client, 'rollback').then(
    () => true,
    // The connection is lost; the caller gets the error that ended it.
    () => false,
  )
}
