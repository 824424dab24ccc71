const UNIQUE_VIOLATION = '23505'

/** Returns the name of the unique index that a statement violated; null for any other error. */
export function violatedIndex(error: unknown): string | null {
  return isUniqueViolation(error) && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null
}

/** Whether an error is a unique violation. */
export function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION
}
