const UNIQUE_VIOLATION = '23505'

/** Whether the database refused a statement because something with that key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION
}
