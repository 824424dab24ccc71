import { Fault, type FaultCode } from '../../fault.ts'

const passing: ReadonlySet<FaultCode> = new Set([
  'upstream.unreachable',
  'upstream.timeout',
  'upstream.busy',
  'upstream.answer',
])

/**
 * Whether an error only says that the peer is unreachable now, which is no statement about an issuer or a credential.
 */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Fault && passing.has(error.code)
}

/** Whether an HTTP status is a transient failure of the peer; any other failure is its answer. */
export function isServerTrouble(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}
