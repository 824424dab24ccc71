import { PGlite, type Transaction } from '@electric-sql/pglite'
import { readOwnJson } from '../../crypto/json.ts'
import { type Engine, type RunStatement, sessionContextValues, setSessionContext } from '../engine.ts'
import type { Sql } from '../store.ts'
import { toWire } from '../wire-values.ts'
import { lockFolder } from './folder-lock.ts'

const OID_BYTEA = 17
const OID_INT8 = 20
const OID_JSON = 114
const OID_JSONB = 3802

/**
 * The engine for development and small set-ups: PostgreSQL inside the process, its files under `folder`.
 * It survives the end of the process at any moment, but does not fsync, so it is not for machines that may lose power.
 * One process at a time: the lock file keeps a second one out.
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
  const place =
    folder === null ? { ...(startFrom !== null && { loadDataDir: startFrom }) } : { dataDir: `${folder}/pgdata` }
  const db = await PGlite.create({ ...place, parsers })
  let trips = 0

  function runIn(tx: Transaction): RunStatement {
    return async <Row>({ text }: Sql, values: readonly unknown[] = []) => {
      trips += 1
      // What PostgreSQL refuses is refused here too, before the engine sees it: it stays in an aborted transaction otherwise.
      for (const value of values) toWire(value)
      return (await tx.query<Row>(text, [...values])).rows
    }
  }

  return {
    kind: 'embedded',
    transaction: (acting, work) =>
      db.transaction(async (tx) => {
        await tx.query(setSessionContext.text, sessionContextValues(acting))
        return work(runIn(tx))
      }),
    single: (acting, statement, values) =>
      db.transaction(async (tx) => {
        await tx.query(setSessionContext.text, sessionContextValues(acting))
        return runIn(tx)(statement, values)
      }),
    asOwner: (work) =>
      db.transaction((tx) =>
        work(async (text) => {
          await tx.exec(text)
        }, runIn(tx)),
      ),
    roundTrips: () => trips,
    close: async () => {
      await db.close()
      unlock()
    },
  }
}
