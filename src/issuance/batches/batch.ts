import { type Fault, faults, type Violation } from '../../fault.ts'

/** How a batch came. */
export type BatchForm = 'json' | 'csv'
/** State of one item: `done` is issued, which means offered. */
export type BatchItemStatus = 'waiting' | 'done' | 'failed'

/** Many issuances that were asked for in one call. */
export type Batch = {
  readonly id: string
  readonly templateId: string
  readonly form: BatchForm
  readonly total: number
  /** Items that were issued. With `failed` it adds up to `total` when the batch has ended. */
  readonly done: number
  readonly failed: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly endedAt: Date | null
}

/** Why an item could not be issued, as the caller is told. */
export type BatchItemError = {
  readonly code: string
  readonly detail: string
  readonly violations?: readonly Violation[]
}

/** One item, without what it is to say. */
export type BatchItem = {
  /** Of the issuance too, once there is one. */
  readonly id: string
  readonly position: number
  readonly status: BatchItemStatus
  readonly reference: string | null
  readonly error: BatchItemError | null
  readonly deliveryId: string | null
  /** Of its issuance; null: there is none, or its offer is over. */
  readonly open: { readonly templateVersion: number; readonly txCodeMac: Buffer | null } | null
}

const VIOLATIONS_MAX = 10
/** Names that the caller chose are quoted, and may be long. */
const DETAIL_CHARS_MAX = 300

/** What is kept of the reason that an item failed for. */
export function itemErrorOf({ code, detail, violations = [] }: Fault): BatchItemError {
  const { api, title } = faults[code]
  const [first] = violations
  const kept = violations.slice(0, VIOLATIONS_MAX).map((one) => ({ ...one, detail: cut(one.detail) }))
  return {
    code: api[1],
    detail: cut(first?.detail ?? detail ?? title),
    ...(first !== undefined && { violations: kept }),
  }
}

function cut(text: string): string {
  return text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX).toWellFormed()}…` : text
}
