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
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: levelName },
  }
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

/** Lines are joined before the stream gets them, since it goes through all that it holds at each write. */
function gathering(): DestinationStream & { readonly flushSync: () => void } {
  const out = destination({ dest: 1, sync: false })
  let lines: string[] = []
  let bytes = 0
  const pass = () => {
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    bytes = 0
    out.write(text)
  }
  setInterval(pass, GATHERED_MS_MAX).unref()
  return {
    write: (line) => {
      lines.push(line)
      bytes += line.length
      if (bytes >= GATHERED_BYTES) pass()
    },
    flushSync: () => {
      pass()
      out.flushSync()
    },
  }
}

function levelName(label: string): object {
  return { level: label }
}
