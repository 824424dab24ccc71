import { derivedId } from '../../crypto/derived-id.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt } from '../../store/row-id.ts'

/**
 * The work of one request. A repetition of the request is the same operation and creates its rows under the same ids.
 */
export type Operation = {
  /**
   * Ids of what the work creates. Each attempt of a request with an `Idempotency-Key` gets the same ids in the same
   * order.
   */
  readonly newId: () => string
  /** Whether an earlier attempt began whose outcome is unknown: what it creates may exist. */
  readonly isRepeated: boolean
}

/** The operation of a request without an `Idempotency-Key`. */
export function singleOperation({ clock }: Pick<Platform, 'clock'>): Operation {
  return { newId: () => idAt(clock.now()), isRepeated: false }
}

/** The operation of a request with an `Idempotency-Key`; its ids derive from `seed` and `startedAt`. */
export function repeatableOperation(seed: string, startedAt: Date, isRepeated: boolean): Operation {
  let made = 0
  return {
    isRepeated,
    newId: () => {
      made += 1
      return derivedId(startedAt, `${seed}\n${made}`)
    },
  }
}

/**
 * Creates something once, also if the request is repeated after a crash: its id is that of the operation, and what an
 * earlier attempt created is returned.
 *
 * @param find Reads it. @throws Fault `resource.unknown` if it does not exist
 * @param make Creates it under that id, in one transaction. Must fail if the id is taken.
 */
export async function once<T>(
  { newId: idOf, isRepeated }: Operation,
  find: (id: string) => Promise<T>,
  make: (id: string) => Promise<T>,
): Promise<T> {
  const id = idOf()
  if (!isRepeated) return make(id)
  try {
    return await find(id)
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'resource.unknown')) throw error
    return make(id)
  }
}
