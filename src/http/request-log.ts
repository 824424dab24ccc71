import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../fault.ts'
import type { Log } from '../platform.ts'

/** One line a request: who, what, how it ended, how long. The route's pattern stands for the URL, which may carry codes. [SEC-73] */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { pattern, caller, fault } = request.trace
  const line = {
    method: request.method,
    route: pattern,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    requestId: request.id,
    tenantId: caller?.tenantId,
    callerId: caller?.actor.id,
    fault: fault ?? undefined,
  }
  if (quiet.has(pattern)) log.debug(line, 'request')
  else log.info(line, 'request')
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
