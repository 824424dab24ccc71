import { Fault } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { ApiRefusal } from '../own-api.ts'

/** Calls that a page can do without. */
export type OptionalCalls = {
  /**
   * Returns what a call of the API gives. Null where it is late, fails or is limited: the page is shown without it, and
   * says so. Null also where the person may not see it, which is not said. Every other error is thrown, as that of a
   * call that the page needs.
   */
  readonly orMissing: <T>(call: Promise<T>) => Promise<T | null>
  /** The id under which the log has what is missing; null: nothing is. */
  readonly missingId: () => string | null
}

/** Less than a page waits for all its calls, so that a call that follows has time left. */
const WAIT_MS_MAX = 4000

/** Returns the optional calls of one request. Each that is missing is logged. */
export function optionalCalls({ log, requestId }: { readonly log: Log; readonly requestId: string }): OptionalCalls {
  let missing: string | null = null
  return {
    orMissing: async (call) => {
      try {
        return await withTimeLimit(call, WAIT_MS_MAX, () => new Fault('upstream.timeout'))
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 403) return null
        const id = idOfMissing(error, requestId)
        if (id === null) throw error
        const fault =
          error instanceof Fault ? error.code : error instanceof ApiRefusal ? error.errors[0]?.code : undefined
        log.warn({ requestId, fault, ...(id !== requestId && { callId: id }) }, 'incomplete page')
        missing ??= id
        return null
      }
    },
    missingId: () => missing,
  }
}

/** The id of the log line of the call, else of the page; null: no error that a page survives. */
function idOfMissing(error: unknown, requestId: string): string | null {
  if (error instanceof Fault) return error.code === 'upstream.timeout' ? requestId : null
  if (!(error instanceof ApiRefusal) || (error.status < 500 && error.status !== 429)) return null
  return error.id === '' ? requestId : error.id
}
