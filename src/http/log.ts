import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../platform.ts'

/** The log and the way to write out what it still holds. */
export type OpenLog = Log & { readonly flush: () => void }

/** Lines are gathered to this size or for this long: a write a line costs more than everything else about it. */
const GATHERED_BYTES = 8192
const GATHERED_MS_MAX = 250

/**
 * Opens the log: one JSON object a line, on standard output unless told otherwise. Lines appear within a quarter of a second; call `flush`
 * before the process ends.
 */
export function openLog(level: string, to?: DestinationStream): OpenLog {
  const out = to ?? gathering()
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

function gathering(): DestinationStream {
  const out = destination({ dest: 1, sync: false, minLength: GATHERED_BYTES })
  setInterval(() => out.flush(), GATHERED_MS_MAX).unref()
  return out
}

function levelName(label: string): object {
  return { level: label }
}
