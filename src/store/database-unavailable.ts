/**
 * The database is unreachable, restarting, failing over or unresponsive. Whether the statement took effect is unknown, unless no connection was
 * made. The server responds with 503 and `Retry-After`.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly code = 'DATABASE_UNAVAILABLE'
}
