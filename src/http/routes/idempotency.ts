import type { Caller } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { type Operation, repeatableOperation } from './operation.ts'

/** An answer that was given once and is given again. */
export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** One request that carries an `Idempotency-Key`. `digest` covers method, path with query, and body. */
export type IdempotentRequest = { readonly key: string; readonly digest: Buffer }

/** The right to answer a request, held until it is given up. */
export type OperationAttempt = {
  /** What the ids of the work are derived from: the same for each attempt. */
  readonly seed: string
  readonly startedAt: Date
  /** Whether an earlier attempt was begun whose end is not known. */
  readonly isRepeated: boolean
  /** Keeps the answer for 24 hours. Never throws: the work is done, and the caller is to hear of it. */
  readonly finish: (answer: KeptAnswer) => Promise<void>
  /** After a failure: lets the key go if surely nothing was done, so that a corrected request may use it; else only the right to answer. */
  readonly release: (error: unknown) => Promise<void>
}

/** Where first answers are kept. Keys are the caller's own: another client's key is another key. */
export type Idempotency = {
  /**
   * Takes the key, or finds that it was taken.
   *
   * @throws Fault `idempotency.mismatch` if the digest differs, `idempotency.busy` if the first request is still at work after a while.
   */
  readonly begin: (caller: Caller, ask: IdempotentRequest) => Promise<{ readonly kept: KeptAnswer } | OperationAttempt>
}

/** Reads the header of a request. @throws Fault `request.invalid` for a key that is empty, too long or not printable */
export function idempotentRequestOf(
  header: unknown,
  method: string,
  path: string,
  body: unknown,
): IdempotentRequest | null {
  if (header === undefined || method !== 'POST') return null
  if (typeof header !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(header)) {
    const detail = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Idempotency-Key' }] })
  }
  const head = Buffer.from(`${method} ${path}\n`)
  return { key: header, digest: sha256(Buffer.isBuffer(body) ? Buffer.concat([head, body]) : head) }
}

/** Does the work of a repeatable request once and tells its answer, or the first answer again. */
export async function answerOnce(
  idempotency: Idempotency,
  caller: Caller,
  repeatable: IdempotentRequest,
  work: (operation: Operation) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  const begun = await idempotency.begin(caller, repeatable)
  if ('kept' in begun) return { ...begun.kept, headers: { ...begun.kept.headers, 'idempotency-replayed': 'true' } }
  try {
    const answer = await workOf(begun, work)
    await begun.finish(answer)
    return answer
  } catch (error) {
    await begun.release(error)
    throw error
  }
}

async function workOf(
  { seed, startedAt, isRepeated }: OperationAttempt,
  work: (operation: Operation) => Promise<KeptAnswer>,
) {
  try {
    return await work(repeatableOperation(seed, startedAt, isRepeated))
  } catch (error) {
    // Another attempt, taken for dead, has ended after all: what it made is there under the same id.
    if (!isUniqueViolation(error)) throw error
    return work(repeatableOperation(seed, startedAt, true))
  }
}
