import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../platform.ts'

/** The log and the way to write out what it still holds. */
export type OpenLog = Log & { readonly flush: () => void }

/**
 * Opens the log: one JSON object a line, on standard output unless told otherwise. Lines are written without waiting; call `flush` before
 * the process ends.
 */
export function openLog(level: string, to?: DestinationStream): OpenLog {
  const out = to ?? destination({ dest: 1, sync: false })
  const options = { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: levelName } }
  const log = pino(options, out)
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    flush: () => {
      if ('flushSync' in out && typeof out.flushSync === 'function') out.flushSync()
    },
  }
}

function levelName(label: string): object {
  return { level: label }
}
