import { Fault } from '../../fault.ts'

/** The fault that a promise is rejected with; anything else fails the test. */
export async function fault(promise: Promise<unknown>): Promise<Fault> {
  const error = await promise.then(() => null).catch((reason: unknown) => reason)
  if (error instanceof Fault) return error
  throw new Error('no fault', { cause: error })
}
