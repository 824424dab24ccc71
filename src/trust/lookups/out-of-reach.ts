import { Fault, type FaultCode } from '../../fault.ts'

const passing: ReadonlySet<FaultCode> = new Set([
  'upstream.unreachable',
  'upstream.timeout',
  'upstream.busy',
  'upstream.answer',
])

/** Whether an error only says that the other side could not be asked now. It says nothing about whom the question was about. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Fault && passing.has(error.code)
}

/** Whether an HTTP status is trouble of the other side that may pass; any other failure is its answer. */
export function isServerTrouble(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}
