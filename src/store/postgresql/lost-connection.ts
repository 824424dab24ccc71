import pg from 'pg'
import { DatabaseUnavailable } from '../database-unavailable.ts'

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions, insufficient resources, shut down or starting up, a statement that took
 * too long, a standby.
 */
const AWAY = /^(08...|53...|57P..|57014|25006)$/

/**
 * What an error of the driver means to a caller: {@link DatabaseUnavailable}, unless the server refused the statement itself. An error that
 * did not come from the server is one of the connection.
 */
export function explained(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && !AWAY.test(error.code ?? '')) return error
  const why = error instanceof Error ? error.message : 'unknown'
  return new DatabaseUnavailable(`the database did not answer: ${why}`, { cause: error })
}
