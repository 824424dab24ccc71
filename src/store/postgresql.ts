import pg from 'pg'
import { type Acting, act, actValues, type Engine, type Run } from './engine.ts'
import { OneTrip, type Step, stepOf } from './one-trip.ts'
import type { Sql } from './store.ts'

type Options = { readonly url: string; readonly poolMax: number; readonly onIdleError: (error: Error) => void }

const begin = stepOf({ name: 'store.begin', text: 'begin' }, [])

/**
 * The engine for real use. What opens a transaction travels with its first statement, and a transaction of one statement is one round
 * trip and one write. Nothing outlives a transaction in the session but prepared statements, so a transaction-pooling proxy in between
 * (PgBouncer 1.21 or newer with `max_prepared_statements`) is fine.
 */
export function openPostgresql({ url, poolMax, onIdleError }: Options): Engine {
  const pool = new pg.Pool({ connectionString: url, max: poolMax, connectionTimeoutMillis: 10_000 })
  pool.on('error', onIdleError)
  let trips = 0

  function send<Row>(client: pg.PoolClient, steps: readonly Step[]): Promise<Row[]> {
    trips += 1
    const trip = new OneTrip<Row>(steps)
    // The library's types know less of its connection than its own queries use.
    client.query(trip as unknown as pg.Submittable)
    return trip.rows
  }

  async function transaction<T>(opening: readonly Step[], work: (run: Run) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken: Error | undefined
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
      if (opened) broken = await client.query('rollback').then(nothing, asError)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function single<Row>(acting: Acting, statement: Sql, values: readonly unknown[]): Promise<Row[]> {
    const client = await pool.connect()
    try {
      const rows = await send<Row>(client, [actStep(acting), stepOf(statement, values)])
      client.release()
      return rows
    } catch (error) {
      // Refused by the database: the connection is clean. Anything else: who knows.
      client.release(!(error instanceof pg.DatabaseError))
      throw error
    }
  }

  return {
    kind: 'postgresql',
    transaction: (acting, work) => transaction([begin, actStep(acting)], work),
    single,
    asOwner: (work) => asOwner(pool, send, work),
    roundTrips: () => trips,
    close: () => pool.end(),
  }
}

type Send = <Row>(client: pg.PoolClient, steps: readonly Step[]) => Promise<Row[]>

async function asOwner<T>(
  pool: pg.Pool,
  send: Send,
  work: (script: (text: string) => Promise<void>, run: Run) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const script = async (text: string) => {
      await client.query(text)
    }
    const result = await work(script, (statement, values = []) => send(client, [stepOf(statement, values)]))
    await commit(client)
    client.release()
    return result
  } catch (error) {
    // Migrations are rare: rather a new connection than one in a doubtful state.
    client.release(true)
    throw error
  }
}

const ACTS_KEPT = 10_000
const acts = new Map<string, Step>()

/** The same few tenants act all the time, so what makes a transaction theirs is written once. */
function actStep(acting: Acting): Step {
  const name = `${acting.role} ${acting.tenantId}`
  const known = acts.get(name)
  if (known !== undefined) return known
  if (acts.size >= ACTS_KEPT) acts.clear()
  const made = stepOf(act, actValues(acting))
  acts.set(name, made)
  return made
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  // A failed statement whose error was swallowed turns COMMIT into ROLLBACK without an error: say it.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

function nothing(): undefined {
  return undefined
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
