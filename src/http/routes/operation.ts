import { derivedId } from '../../crypto/derived-id.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt } from '../../store/row-id.ts'

/** Which piece of work a request is: a repetition of it is the same piece, and makes what it makes under the same ids. */
export type Operation = {
  /** Ids for what the work makes. For a request with an `Idempotency-Key` each attempt gets the same ones in the same order. */
  readonly newId: () => string
  /** Whether an earlier attempt was begun whose end is not known: what it was to make may be there. */
  readonly isRepeated: boolean
}

/** The work of a request that cannot be repeated, since it has no key. */
export function singleOperation({ clock }: Pick<Platform, 'clock'>): Operation {
  return { newId: () => idAt(clock.now()), isRepeated: false }
}

/** The work that is known by `seed` since `startedAt`. */
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
 * Makes something once, also if the request is repeated after a crash: its id is that of the operation, and what an earlier attempt made
 * is found again.
 *
 * @param find Reads what is there. @throws Fault `resource.unknown` if there is nothing
 * @param make Makes it under that id, in one transaction. Must fail if the id is taken.
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
