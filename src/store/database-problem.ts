import { DatabaseUnavailable } from './database-unavailable.ts'

/** What an operator can do about a refusal of PostgreSQL, by SQLSTATE. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password of DATABASE_URL',
  '28000': 'refuses the user of DATABASE_URL',
  '3D000': 'does not have the database of DATABASE_URL: create it first',
  '53300': 'has no connection left: lower DATABASE_POOL_MAX, or raise max_connections',
  '42501':
    'gives the user of DATABASE_URL too few rights: run `chirograph migrate` with the account that owns the database, and grant this one the roles chirograph_app and chirograph_across',
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])
const unusable = new Set(['EACCES', 'EEXIST', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'])

/**
 * Describes an error of the database at start and names the setting, never the connection string. Returns unknown
 * errors unchanged.
 */
export function describeDatabaseError(thrown: unknown): unknown {
  const error = thrown instanceof DatabaseUnavailable ? thrown.cause : thrown
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const refusal = refusals[code]
  if (refusal !== undefined) return new Error(`PostgreSQL ${refusal} (${error.message})`, { cause: error })
  if (unreachable.has(code) || /timeout|terminated|no answer/i.test(error.message)) {
    const text = `PostgreSQL cannot be reached at the host and port of DATABASE_URL (${code === '' ? error.message : code})`
    return new Error(`${text}: is it running, and may this machine connect?`, { cause: error })
  }
  if (unusable.has(code)) return new Error(`DATA_DIR cannot be used (${error.message})`, { cause: error })
  // Any other code of five characters is an SQLSTATE: the operator needs its message, not our stack.
  return /^[0-9A-Z]{5}$/.test(code) ? new Error(`PostgreSQL: ${error.message} (${code})`, { cause: error }) : error
}
