import pg from 'pg'
import { Fault } from '../../fault.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'

/**
 * SQLSTATEs of an unavailable server: connection exceptions, insufficient resources, shutdown or startup, statement timeout, a standby.
 */
const UNAVAILABLE = /^(08...|53...|57P..|57014|25006)$/

/**
 * Translates an error of the driver: {@link DatabaseUnavailable}, unless the server refused the statement. An error that is not from the
 * server is one of the connection.
 */
export function explained(error: unknown): unknown {
  // A fault is that of a JSON column that cannot be read.
  if (error instanceof Fault || (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? ''))) return error
  const why = error instanceof Error ? error.message : 'unknown'
  return new DatabaseUnavailable(`the database did not answer: ${why}`, { cause: error })
}
