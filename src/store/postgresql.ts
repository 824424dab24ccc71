import pg from 'pg'
import type { Engine, Run } from './engine.ts'
import type { Sql } from './store.ts'

type Options = { readonly url: string; readonly poolMax: number; readonly onIdleError: (error: Error) => void }

/**
 * The engine for real use. Connections pipeline: what opens a transaction is sent together with its first statement, and a transaction of
 * one statement is one round trip. Nothing outlives a transaction in the session but prepared statements, so a transaction-pooling
 * proxy in between (PgBouncer 1.21 or newer with `max_prepared_statements`) is fine.
 */
export function openPostgresql({ url, poolMax, onIdleError }: Options): Engine {
  const pool = new pg.Pool({ connectionString: url, max: poolMax, pipeline: true, connectionTimeoutMillis: 10_000 })
  pool.on('error', onIdleError)
  let trips = 0

  async function transaction<T>(setting: string, work: (run: Run) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken: Error | undefined
    let opened = false
    const run: Run = async <Row>(statement: Sql, values: readonly unknown[] = []) => {
      trips += 1
      const opening = opened ? null : client.query(`begin; ${setting}`)
      opened = true
      return rowsOf<Row>(opening, client.query(asQuery(statement, values)))
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

  async function single<Row>(setting: string, statement: Sql, values: readonly unknown[]): Promise<Row[]> {
    const client = await pool.connect()
    let broken: Error | undefined
    trips += 1
    const opening = client.query(`begin; ${setting}`)
    const answer = client.query(asQuery(statement, values))
    const end = client.query('commit').then(nothing, asError)
    try {
      const rows = await rowsOf<Row>(opening, answer)
      const failed = await end
      if (failed !== undefined) throw failed
      return rows
    } finally {
      // After a failed statement COMMIT rolls back, so the connection is clean unless the end itself failed.
      broken = await end
      client.release(broken)
    }
  }

  async function asOwner<T>(work: (script: (text: string) => Promise<void>, run: Run) => Promise<T>): Promise<T> {
    return transaction('select 1', (run) =>
      work(async (text) => {
        await run({ name: '', text })
      }, run),
    )
  }

  return { kind: 'postgresql', transaction, single, asOwner, roundTrips: () => trips, close: () => pool.end() }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  // A failed statement whose error was swallowed turns COMMIT into ROLLBACK without an error: say it.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

function asQuery({ name, text }: Sql, values: readonly unknown[]): pg.QueryConfig {
  return name === '' ? { text } : { name, text, values: [...values] }
}

async function rowsOf<Row>(opening: Promise<unknown> | null, answer: Promise<pg.QueryResult>): Promise<Row[]> {
  // The first error is the cause, the second only its echo: wait for both, throw the first.
  const [begun, answered] = await Promise.allSettled([opening, answer])
  if (begun.status === 'rejected') throw begun.reason
  if (answered.status === 'rejected') throw answered.reason
  return answered.value.rows as Row[]
}

function nothing(): undefined {
  return undefined
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
