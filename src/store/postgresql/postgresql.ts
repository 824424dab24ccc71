import pg from 'pg'
import { type Acting, act, actValues, type Engine, type Run } from '../engine.ts'
import type { Sql } from '../store.ts'
import { Clients } from './clients.ts'
import { OneTrip, type Step, stepOf } from './one-trip.ts'

type Options = { readonly url: string; readonly poolMax: number; readonly onIdleError: (error: Error) => void }

/** For a connection. */
const WAIT_MS = 10_000
const begin = stepOf({ name: 'store.begin', text: 'begin' }, [])

/**
 * The engine for real use. What opens a transaction travels with its first statement, and a transaction of one statement is one round
 * trip and one write. Nothing outlives a transaction in the session but prepared statements, so a transaction-pooling proxy in between
 * (PgBouncer 1.21 or newer with `max_prepared_statements`) is fine.
 */
export function openPostgresql({ url, poolMax, onIdleError }: Options): Engine {
  const timing = { max: poolMax, connectionTimeoutMillis: WAIT_MS }
  const pool = new pg.Pool({ connectionString: url, ...timing })
  const clients = new Clients(pool, { connectionsMax: poolMax, waitMs: WAIT_MS }, onIdleError)
  let trips = 0

  function send<Row>(client: pg.PoolClient, steps: readonly Step[]): Promise<Row[]> {
    trips += 1
    const trip = new OneTrip<Row>(steps)
    client.query(trip)
    return trip.rows
  }

  async function transaction<T>(opening: readonly Step[], work: (run: Run) => Promise<T>): Promise<T> {
    const client = await clients.take()
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
        await commit(client)
      }
      return result
    } catch (error) {
      if (opened) isBroken = !(await hasRolledBack(client))
      throw error
    } finally {
      clients.give(client, isBroken)
    }
  }

  function single<Row>(acting: Acting, statement: Sql, values: readonly unknown[]): Promise<Row[]> {
    const client = clients.take()
    const run = (one: pg.PoolClient) => sendAlone<Row>(clients, send, one, acting, statement, values)
    // Without a turn of the loop where a connection is at hand.
    return client instanceof Promise ? client.then(run) : run(client)
  }

  return {
    kind: 'postgresql',
    transaction: (acting, work) => transaction([begin, actStep(acting)], work),
    single,
    asOwner: (work) => asOwner(clients, send, work),
    roundTrips: () => trips,
    close: () => clients.close(),
  }
}

type Send = <Row>(client: pg.PoolClient, steps: readonly Step[]) => Promise<Row[]>

async function sendAlone<Row>(
  clients: Clients,
  send: Send,
  client: pg.PoolClient,
  acting: Acting,
  statement: Sql,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    const rows = await send<Row>(client, [actStep(acting), stepOf(statement, values)])
    clients.give(client)
    return rows
  } catch (error) {
    // A statement was refused: the connection is clean. Anything else, and an error that ends the session: who knows.
    clients.give(client, !(error instanceof pg.DatabaseError && error.severity === 'ERROR'))
    throw error
  }
}

async function asOwner<T>(
  clients: Clients,
  send: Send,
  work: (script: (text: string) => Promise<void>, run: Run) => Promise<T>,
): Promise<T> {
  const client = await clients.take()
  try {
    await client.query('begin')
    const script = async (text: string) => {
      await client.query(text)
    }
    const result = await work(script, (statement, values = []) => send(client, [stepOf(statement, values)]))
    await commit(client)
    clients.give(client)
    return result
  } catch (error) {
    // Migrations are rare: rather a new connection than one in a doubtful state.
    clients.give(client, true)
    throw error
  }
}

function actStep(acting: Acting): Step {
  return stepOf(act, actValues(acting))
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  // A failed statement whose error was swallowed turns COMMIT into ROLLBACK without an error: say it.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

async function hasRolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return true
  } catch {
    // The connection went with the transaction; what ended it is the error that the caller hears of.
    return false
  }
}
