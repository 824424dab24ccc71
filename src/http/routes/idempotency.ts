import type { Caller } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import { type Json, sortedJsonInPieces } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { type Operation, repeatableOperation } from './operation.ts'
import { FileBody } from './route.ts'

/** The first answer to a request with an `Idempotency-Key`, kept for its repetitions. */
export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** One request that carries an `Idempotency-Key`. `digest` covers method, path with query, and what the body says. */
type IdempotentRequest = { readonly key: string; readonly digest: Buffer }

/** One attempt to execute an idempotent request. It holds the key until it finishes or releases it. */
export type OperationAttempt = {
  /** Seed of the ids that the work creates: the same for each attempt. */
  readonly seed: string
  readonly startedAt: Date
  /** Whether an earlier attempt began whose outcome is unknown. */
  readonly isRepeated: boolean
  /** Keeps the answer for 24 hours. Never throws: the work is done, and the caller gets its answer. */
  readonly finish: (answer: KeptAnswer) => Promise<void>
  /**
   * After a failure: releases the key if certainly nothing was done, so that a corrected request may use it; else only
   * the attempt.
   */
  readonly release: (error: unknown) => Promise<void>
}

/** Keeps first answers. Each client has its own keys. */
export type Idempotency = {
  /**
   * Claims the key, or returns the answer that is kept under it.
   *
   * @throws Fault `idempotency.mismatch` if the digest differs, `idempotency.busy` if the first request is still
   *   running after a while.
   */
  readonly begin: (
    caller: Caller,
    request: IdempotentRequest,
  ) => Promise<{ readonly kept: KeptAnswer } | OperationAttempt>
}

/**
 * Reads the header of a request.
 *
 * @param body The body as the route reads it: libraries write the members of an object in different orders, with
 *   different blanks and escapes.
 * @throws Fault `request.invalid` for a key that is empty, too long or not printable
 */
export async function idempotentRequestOf(
  header: unknown,
  method: string,
  path: string,
  body: unknown,
): Promise<IdempotentRequest | null> {
  if (header === undefined || method !== 'POST') return null
  if (typeof header !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(header)) {
    const detail = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Idempotency-Key' }] })
  }
  return { key: header, digest: sha256(`${method} ${path}\n${await saidBy(body)}`) }
}

function saidBy(body: unknown): Promise<string> | string {
  if (body === undefined) return ''
  if (body instanceof FileBody) return `${body.type} ${body.charset}\n${sha256(body.bytes).toString('hex')}`
  // What is no file was parsed from JSON.
  return sortedJsonInPieces(body as Json)
}

/** Executes an idempotent request once and returns its answer; a repetition gets the first answer. */
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
    // An earlier attempt, assumed dead, completed after all: what it created exists under the same id.
    if (!isUniqueViolation(error)) throw error
    return work(repeatableOperation(seed, startedAt, true))
  }
}
