import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { faultOf } from '../routes/faults.ts'
import type { Metrics } from './metrics.ts'

/** Counts a request whose answer has left, and writes its line. */
export type NoteRequest = (request: FastifyRequest, reply: FastifyReply) => void

/** One line a request: caller, route, status, duration. The route's pattern stands for the URL, which may carry codes. [SEC-73] */
export function requestLog(log: Log, metrics: Metrics): NoteRequest {
  return (request, reply) => {
    const { pattern, caller, fault } = request.trace
    const { method, id: requestId } = request
    const { statusCode: status, elapsedTime } = reply
    metrics.count(method, pattern, status, elapsedTime / 1000)
    const line = {
      ...{ method, status, requestId },
      tenantId: caller?.tenantId,
      callerId: caller?.actor.id,
      fault: fault ?? undefined,
      route: pattern,
      ms: Math.round(elapsedTime * 100) / 100,
    }
    if (quiet.has(pattern)) log.debug(line, 'request')
    else log.info(line, 'request')
  }
}

/** Asked every few seconds by a machine. */
const quiet: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Writes down what a refusal does not show: the notes of a fault, or the whole of a defect. */
export function logFault(log: Log, requestId: string, status: number, error: unknown): void {
  if (status < 500) {
    // The caller's mistake: the request line says which, unless there is more to know than was shown.
    if (!(error instanceof Fault) || (error.notes === undefined && error.cause === undefined)) return
    log.info({ requestId, fault: error.code, notes: error.notes, cause: shortly(error.cause) }, 'refused')
    return
  }
  if (status !== 500) {
    // An upstream, the database or the end of this process: known, and nothing to mend in the code.
    const { code, notes, cause } = faultOf(error)
    log.warn({ requestId, fault: code, notes, cause: shortly(cause) }, 'not done')
    return
  }
  const fault = error instanceof Fault ? error : undefined
  const cause = fault === undefined ? error : (fault.cause ?? fault)
  const details = { requestId, fault: fault?.code, notes: fault?.notes, cause: shortly(cause), stack: stackOf(cause) }
  log.error(details, 'failed')
}

/** A parser's message quotes what it read, so of a syntax error only the name is kept. */
function shortly(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  if (!(cause instanceof Error)) return typeof cause
  return cause instanceof SyntaxError ? cause.name : `${cause.name}: ${cause.message}`
}

function stackOf(cause: unknown): string | undefined {
  return cause instanceof Error && !(cause instanceof SyntaxError) ? cause.stack : undefined
}
