import { destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../platform.ts'

/**
 * Lines are buffered up to this many bytes and milliseconds: a write per line costs more than all other work for it.
 */
const BUFFERED = { minLength: 8192, periodicFlush: 250 } as const

/**
 * Opens the log: one JSON object per line, on standard output. An error flushes the buffer; other lines are written
 * within 250 ms, and when the process exits.
 */
export function openLog(level: string): Log {
  const out = destination({ dest: 1, sync: false, ...BUFFERED })
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
