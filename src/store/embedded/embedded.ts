import { setImmediate } from 'node:timers/promises'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { readOwnJson } from '../../crypto/json.ts'
import { FairPlaces } from '../../memory/fair-places.ts'
import { places } from '../../memory/places.ts'
import {
  ANSWER_MS_MAX,
  type BoundStep,
  type Engine,
  type RunStatement,
  type SessionContext,
  statementMsMax,
} from '../engine.ts'
import { REFUSED_STATE, Refused, type Sql } from '../store.ts'
import { toWire } from '../wire-values.ts'
import { lockFolder } from './folder-lock.ts'

const OID_BYTEA = 17
const OID_INT8 = 20
const OID_JSON = 114
const OID_JSONB = 3802

/**
 * Sets the role, the tenant and the time limits of the transaction by one statement without rows: in the condition of a
 * SELECT, and the concatenation is never null.
 */
const SET_CONTEXT = `select where (set_config('role', $1, true) || set_config('chirograph.tenant_id', $2, true)
  || set_config('statement_timeout', $3, true) || set_config('idle_in_transaction_session_timeout', '30s', true)) is null`

/**
 * Opens the engine for development and small installations: PostgreSQL inside the process, its files under `folder`.
 * Committed data survives a crash of the process, but not a power failure, since it does not fsync. A lock file
 * excludes a second process.
 *
 * @param startFrom A dump to start from, where `folder` is null.
 * @throws Error when another process holds the folder.
 */
export async function openEmbedded(folder: string | null, startFrom: Blob | null = null): Promise<Engine> {
  const unlock = folder === null ? () => undefined : await lockFolder(folder)
  const parsers = {
    [OID_INT8]: (text: string) => text,
    [OID_BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
    [OID_JSON]: readOwnJson,
    [OID_JSONB]: readOwnJson,
  }
  const source =
    folder === null ? { ...(startFrom !== null && { loadDataDir: startFrom }) } : { dataDir: `${folder}/pgdata` }
  const db = await PGlite.create({ ...source, parsers })
  const shares = new FairPlaces({ ...places['store.connections'], countMax: 1 })
  let trips = 0

  function runIn(tx: Transaction): RunStatement {
    return async <Row>(statement: Sql, values: readonly unknown[] = [], then: readonly BoundStep[] = []) => {
      trips += 1
      const rows = await runStep<Row>(tx, { statement, values })
      for (const step of then) await runStep(tx, step)
      return rows
    }
  }

  async function transaction<T>(context: SessionContext, work: (run: RunStatement) => Promise<T>): Promise<T> {
    // The engine answers within the same turn of the event loop, so a job of many transactions would let no request in
    // until its end.
    await setImmediate()
    // Tenants take turns.
    return shares.hold(context.tenantId ?? '', () =>
      db.transaction(async (tx) => {
        await tx.query(SET_CONTEXT, contextValues(context))
        return work(runIn(tx))
      }),
    )
  }

  return {
    kind: 'embedded',
    transaction,
    single: (context, [{ statement, values }, ...then]) => transaction(context, (run) => run(statement, values, then)),
    asOwner: (work) =>
      db.transaction((tx) => {
        const script = async (text: string) => {
          await tx.exec(text)
        }
        return work(script, runIn(tx), (statement) => script(statement.replace(/\bconcurrently\b/gi, '')))
      }),
    readAsOwner: (work) => db.transaction((tx) => work(runIn(tx))),
    check: async () => undefined,
    isDiskFull: () => false,
    roundTrips: () => trips,
    close: async () => {
      await db.close()
      unlock()
    },
  }
}

/** @throws Refused */
async function runStep<Row>(tx: Transaction, { statement, values }: BoundStep): Promise<Row[]> {
  // Values that cannot be sent are refused before the engine sees them: it would stay in an aborted transaction.
  for (const value of values) toWire(value)
  try {
    return (await tx.query<Row>(statement.text, [...values])).rows
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === REFUSED_STATE
    throw isRefused && statement.decides === true ? new Refused(statement) : error
  }
}

function contextValues({ role, tenantId }: SessionContext): [string, string, string] {
  return [role, tenantId ?? '', String(statementMsMax(ANSWER_MS_MAX))]
}
