import type { TenantId } from '../caller.ts'
import type { Recent } from '../memory/recent.ts'
import type { Platform } from '../platform.ts'
import { type AnswersKept, countKeptAnswers } from './kept-answer-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log' | 'memory'>

const BOUNDS: AnswersKept = { keys: 1_000_000, bytes: 2 ** 31 }
/** The rows are counted again after a twentieth of the bounds was added, or after this time. */
const SHARE = 20
const COUNTED_MS = 600_000
const FULL_COUNTED_MS = 60_000

type Usage = { total: AnswersKept; keysAdded: number; bytesAdded: number; countedAt: number; isCounting: boolean }

/**
 * Bounds the idempotency keys and the bytes of sealed answers that one tenant has kept. The rows are counted in the
 * background and not for each request, so each process may exceed the bounds by a twentieth.
 */
export class KeptAnswerQuota {
  readonly #usages: Recent<Usage>
  readonly #needs: Needs
  readonly #bounds: AnswersKept

  constructor(needs: Needs, bounds = BOUNDS) {
    this.#needs = needs
    this.#bounds = bounds
    this.#usages = needs.memory.cache('api.kept_answer_usage')
  }

  /** Returns whether a further key may be taken, and then counts it as taken. */
  admit(tenantId: TenantId): boolean {
    const usage = this.#usageOf(tenantId)
    const { total, keysAdded, bytesAdded } = usage
    const { keys, bytes } = this.#bounds
    const isFull = total.keys + keysAdded >= keys || total.bytes + bytesAdded >= bytes
    const isMuch = keysAdded * SHARE >= keys || bytesAdded * SHARE >= bytes
    const age = this.#needs.clock.now().getTime() - usage.countedAt
    if (age >= (isFull ? FULL_COUNTED_MS : COUNTED_MS) || (isMuch && !isFull)) void this.#count(tenantId, usage)
    if (!isFull) usage.keysAdded += 1
    return !isFull
  }

  /** Records the bytes of an answer that was kept. */
  add(tenantId: TenantId, bytes: number): void {
    this.#usageOf(tenantId).bytesAdded += bytes
  }

  #usageOf(tenantId: TenantId): Usage {
    const now = this.#needs.clock.now()
    const counted = this.#usages.get(tenantId, now)
    if (counted !== undefined) return counted
    const fresh = { total: { keys: 0, bytes: 0 }, keysAdded: 0, bytesAdded: 0, countedAt: 0, isCounting: false }
    this.#usages.set(tenantId, fresh, now)
    return fresh
  }

  async #count(tenantId: TenantId, usage: Usage): Promise<void> {
    if (usage.isCounting) return
    usage.isCounting = true
    const before = { keys: usage.keysAdded, bytes: usage.bytesAdded }
    try {
      usage.total = await this.#needs.store.single(tenantId, countKeptAnswers)
      usage.keysAdded -= before.keys
      usage.bytesAdded -= before.bytes
      usage.countedAt = this.#needs.clock.now().getTime()
    } catch (err) {
      this.#needs.log.warn({ err, tenantId }, 'the kept answers of a tenant could not be counted')
    }
    usage.isCounting = false
  }
}
