const UNIQUE_VIOLATION = '23505'

/** Name of the unique index that a statement violated; null for any other error. */
export function violatedIndex(error: unknown): string | null {
  return isUniqueViolation(error) && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null
}

/** Whether the database refused a statement because something with that key is there already. */
export function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION
}
