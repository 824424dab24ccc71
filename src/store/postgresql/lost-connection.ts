import pg from 'pg'
import { Fault } from '../../fault.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { Refused } from '../store.ts'

/**
 * SQLSTATEs of an unavailable server: connection exceptions, insufficient resources, shutdown or startup, statement
 * timeout, a standby.
 */
const UNAVAILABLE = /^(08...|53...|57P..|57014|25006)$/
/** SQLSTATEs of a server that accepts no more statements: it shuts down, starts up, or became a standby. */
const LEFT = /^(57P0[1-4]|25006)$/
const READ_ONLY = '25006'
const DISK_FULL = '53100'
/**
 * SQLSTATEs of a transaction that PostgreSQL rolled back because of another one: a deadlock, or both cannot be
 * serialized.
 */
const CONFLICT = /^40(P01|001)$/
/**
 * What a distributed engine (Citus) says, with the SQLSTATE of any internal error, when the part of a table that a plan
 * names was split or moved meanwhile.
 */
const SHARD_GONE = /^could not find valid entry for shard /

/**
 * Translates an error of the driver: {@link DatabaseUnavailable}, unless the server refused the statement. An error
 * that is not from the server is one of the connection.
 */
export function explained(error: unknown, hadNoEffect = false): unknown {
  if (error instanceof DatabaseUnavailable) return error
  // The transaction was rolled back. A plan that is refused is made anew when it is sent again.
  if (isShardGone(error) || isConflict(error))
    return new DatabaseUnavailable(error.message, { cause: error, hadNoEffect: true })
  // A fault is that of a JSON column that cannot be read.
  if (
    error instanceof Fault ||
    error instanceof Refused ||
    (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? ''))
  )
    return error
  const why = error instanceof Error ? error.message : 'unknown'
  return new DatabaseUnavailable(`the database did not answer: ${why}`, { cause: error, hadNoEffect })
}

/** Whether the server itself said that it accepts no statement, or none that writes. */
export function isServerLeaving(error: unknown): boolean {
  return error instanceof pg.DatabaseError && LEFT.test(error.code ?? '')
}

/** Whether the server refused a statement because it accepts no writes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === READ_ONLY
}

/** Whether the disk of the server is too full for a statement. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DISK_FULL
}

function isConflict(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && CONFLICT.test(error.code ?? '')
}

function isShardGone(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === 'XX000' && SHARD_GONE.test(error.message)
}

/**
 * Whether the connections to the server are useless: it is leaving, or a connection broke or went silent. Not: it is
 * full, or one statement was slow.
 */
export function isServerLost(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  return isServerLeaving(error.cause) || !(error.cause instanceof pg.DatabaseError)
}
