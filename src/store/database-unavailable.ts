/**
 * The database is away, restarting, failing over or silent. Whether the statement took effect is not known, unless no connection could be
 * made. The edges answer it with 503 and `Retry-After`.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly code = 'DATABASE_UNAVAILABLE'
}
