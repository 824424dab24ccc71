/**
 * The database is unreachable, restarting, failing over or unresponsive, or rolled the transaction back because of
 * another one. Whether the statement took effect is unknown, unless `hadNoEffect`. The server responds with 503 and
 * `Retry-After`.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly code = 'DATABASE_UNAVAILABLE'
  /**
   * Whether the statement surely did nothing, so that it may be sent again, together with those before it in its
   * transaction.
   */
  readonly hadNoEffect: boolean

  constructor(message: string, { hadNoEffect = false, ...options }: ErrorOptions & { hadNoEffect?: boolean } = {}) {
    super(message, options)
    this.hadNoEffect = hadNoEffect
  }
}
