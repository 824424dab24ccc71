import { setTimeout as pause } from 'node:timers/promises'
import type { Caller, TenantId } from '../caller.ts'
import { hmacSha256, sha256 } from '../crypto/digest.ts'
import { readOwnJson } from '../crypto/json.ts'
import { Fault, faults } from '../fault.ts'
import type { Idempotency, KeptAnswer, OperationAttempt } from '../http/routes/idempotency.ts'
import type { Platform } from '../platform.ts'
import { newLease } from '../store/lease.ts'
import { KeptAnswerQuota } from './kept-answer-quota.ts'
import {
  type AttemptRow,
  deleteExpiredAnswers,
  deleteKeptKey,
  expireKeptKey,
  insertKeptAnswer,
  type KeyState,
  renewKeptKey,
  takeKeptKey,
} from './kept-answer-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'log' | 'memory'>

const KEPT_MS = 86_400_000
/** How long a repetition waits for the answer of the first request; then it is refused with `Retry-After`. */
const WAIT_MS = 5_000
/** Shorter than that wait, so that the first repetition takes over the attempt of a process that died. */
const LEASE_MS = 4_000
const RENEW_MS = 1_000
const POLL_MS_MIN = 20
const POLL_MS_MAX = 400
/** A larger answer is not kept. */
const BODY_BYTES_MAX = 1_048_576
const DELETED_PER_STEP = 1000

/** Keeps first answers in the database, sealed, for all servers on it. It adds two statements to a request. */
export function keepAnswers(
  needs: Needs,
  { waitMs = WAIT_MS, quota = new KeptAnswerQuota(needs) }: { waitMs?: number; quota?: KeptAnswerQuota } = {},
): Idempotency {
  return {
    begin: async (caller, { key, digest }) => {
      const keyHash = keyHashOf(caller, key)
      const isAdmitted = quota.admit(caller.tenantId)
      const deadline = performance.now() + waitMs
      for (let wait = POLL_MS_MIN; ; wait = Math.min(wait * 2, POLL_MS_MAX)) {
        const now = needs.clock.now()
        const ends = { ...newLease(now, LEASE_MS), expiresAt: keptUntil(now) }
        const row = { keyHash, requestHash: digest, isAdmitted, ...ends }
        const found = await takeKey(needs, caller.tenantId, row, now)
        if (found.state === 'full') throw quotaExceeded()
        if (found.state === 'other')
          throw new Fault('idempotency.mismatch', {
            detail:
              'The first request with this Idempotency-Key had another path, query or body. Use a new key for a new request.',
          })
        if (found.state === 'ours') return attemptOf({ ...needs, quota }, caller, row, found)
        if (found.state === 'answered') return { kept: await keptOf(needs, caller, keyHash, found.sealed) }
        if (performance.now() + wait > deadline) throw busy()
        await pause(wait)
      }
    },
  }
}

/** Deletes expired answers, in steps. */
export async function forgetAnswers({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal) {
  let gone = DELETED_PER_STEP
  while (gone === DELETED_PER_STEP && !signal.aborted) {
    gone = await store.across('expired answers of all tenants', (tx) =>
      deleteExpiredAnswers(tx, clock.now(), DELETED_PER_STEP),
    )
  }
}

function keptUntil(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS)
}

/**
 * When the response of the database is lost, the claim that it may have written is released, since no attempt runs
 * under it.
 */
async function takeKey({ store }: Needs, tenantId: TenantId, row: AttemptRow, now: Date): Promise<KeyState> {
  try {
    return await store.single(tenantId, (tx) => takeKeptKey(tx, row, now))
  } catch (error) {
    // Not awaited, because the database may be unreachable; then the lease expires.
    store.single(tenantId, (tx) => expireKeptKey(tx, row)).catch(() => undefined)
    throw error
  }
}

/** Returns the hash of the key and its caller, unambiguously encoded. */
function keyHashOf({ actor, actingClientId }: Caller, key: string): Buffer {
  return sha256(JSON.stringify([actor.kind, actor.id, actingClientId, key]))
}

function busy(): Fault {
  const detail = 'The first request with this Idempotency-Key is still being processed; send it again later.'
  return new Fault('idempotency.busy', { detail, meta: { retryAfterSeconds: 1 } })
}

function quotaExceeded(): Fault {
  const detail =
    'The limit of kept answers for requests with an Idempotency-Key is reached; each is deleted after 24 hours. Send the request without a key, or later.'
  return new Fault('request.rate_limited', { detail, meta: { retryAfterSeconds: 600 } })
}

function attemptOf(
  needs: Needs & { readonly quota: KeptAnswerQuota },
  { tenantId }: Caller,
  row: AttemptRow,
  { startedAt, isRepeated }: { startedAt: Date; isRepeated: boolean },
): OperationAttempt {
  const { store, clock, log } = needs
  const renewing = setInterval(() => {
    const until = newLease(clock.now(), LEASE_MS).leaseUntil
    store
      .single(tenantId, (tx) => renewKeptKey(tx, row, until))
      .catch((err: unknown) => log.warn({ err }, 'the lease of a repeatable request could not be renewed'))
  }, RENEW_MS)
  renewing.unref()
  /** If this fails, the lease expires. */
  const end = async (work: () => Promise<void>) => {
    clearInterval(renewing)
    await work().catch((err: unknown) => log.error({ err }, 'the outcome of a repeatable request could not be written'))
  }
  return {
    startedAt,
    isRepeated,
    seed: hmacSha256(row.keyHash, tenantId).toString('hex'),
    finish: (answer) =>
      end(async () => {
        const sealed = await sealedAnswer(needs, tenantId, row.keyHash, answer)
        const now = clock.now()
        await store.single(tenantId, (tx) => insertKeptAnswer(tx, row, sealed, now, keptUntil(now)))
        needs.quota.add(tenantId, sealed?.length ?? 0)
      }),
    release: (error) =>
      end(() => store.single(tenantId, (tx) => (isRefusal(error) ? deleteKeptKey(tx, row) : expireKeptKey(tx, row)))),
  }
}

/** Returns whether an error means that nothing was done. After any other error the outcome is unknown. */
function isRefusal(error: unknown): boolean {
  return error instanceof Fault && faults[error.code].api[0] < 500
}

function placeOf(tenantId: Caller['tenantId'], keyHash: Buffer) {
  return { tenantId, table: 'kept_answer', column: 'sealed_answer', row: keyHash.toString('hex') }
}

async function sealedAnswer(
  { sealing }: Needs,
  tenantId: Caller['tenantId'],
  keyHash: Buffer,
  { status, headers, body }: KeptAnswer,
): Promise<Buffer | null> {
  const bytes = Buffer.from(body)
  if (bytes.length > BODY_BYTES_MAX) return null
  const text = JSON.stringify({ status, headers, body: bytes.toString('base64') })
  return sealing.seal(placeOf(tenantId, keyHash), text)
}

async function keptOf(
  { sealing }: Needs,
  { tenantId }: Caller,
  keyHash: Buffer,
  sealed: Buffer | null,
): Promise<KeptAnswer> {
  if (sealed === null) {
    throw new Fault('state.conflict', { detail: 'The request was processed; its response was too large to be kept.' })
  }
  const opened = await sealing.open(placeOf(tenantId, keyHash), sealed)
  // Sealed by `sealedAnswer` in this form.
  const { status, headers, body } = readOwnJson(opened) as KeptAnswer & { body: string }
  return { status, headers, body: Buffer.from(body, 'base64') }
}
