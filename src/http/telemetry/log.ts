import { destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../platform.ts'

/** Lines are gathered to this size or for this long: a write per line costs more than everything else about it. */
const GATHERED = { minLength: 8192, periodicFlush: 250 } as const

/**
 * Opens the log: one JSON object a line, on standard output. An error is written at once, with all that stands before
 * it; other lines within a quarter of a second, and when the process exits.
 */
export function openLog(level: string): Log {
  const out = destination({ dest: 1, sync: false, ...GATHERED })
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const log = pino(options, out)
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => {
      log.error(fields, message)
      out.flushSync()
    },
  }
}
