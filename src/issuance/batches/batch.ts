import { type Fault, faults, type Violation } from '../../fault.ts'
import type { Issuance } from '../issuances/issuance.ts'
import type { OfferMail } from '../mails/offer-mail.ts'

/** Form of the request of a batch. `csv`: a table, also one in a workbook. */
export type BatchForm = 'json' | 'csv'
/** State of one item; `done`: its credential is offered. */
export type BatchItemStatus = 'waiting' | 'done' | 'failed'

/** Many issuances from one request. */
export type Batch = {
  readonly id: string
  readonly templateId: string
  /** The present one, also of an archived template. */
  readonly templateName: string
  readonly form: BatchForm
  readonly total: number
  /** Items issued; with `failed` it is `total` when the batch has ended. */
  readonly done: number
  readonly failed: number
  /** Offers that are mailed, and the outcomes. */
  readonly mails: number
  readonly mailsSent: number
  readonly mailsFailed: number
  readonly name: string | null
  /** It keeps columns of its table. */
  readonly keepsColumns: boolean
  /** The caller that requested it. */
  readonly createdBy: { readonly kind: string; readonly id: string }
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly endedAt: Date | null
}

/** Why an item failed, as in our API. */
export type BatchItemError = {
  readonly code: string
  readonly detail: string
  readonly violations?: readonly Violation[]
}

/** One item, without its claims. */
export type BatchItem = {
  /** Also the id of its issuance. */
  readonly id: string
  readonly position: number
  /** Number of its row in a table; null also where an older version accepted the table, which was CSV. */
  readonly row: number | null
  readonly status: BatchItemStatus
  readonly reference: string | null
  readonly error: BatchItemError | null
  readonly ownValidFrom: Date | null
  readonly ownValidUntil: Date | null
  /** What its issuance replaces. */
  readonly replaces: Issuance['replaces']
  readonly deliveryId: string | null
  readonly offerMail: OfferMail | null
  /** Of its issuance; null: there is none, or its offer has ended. */
  readonly open: { readonly templateVersion: number; readonly txCodeMac: Buffer | null } | null
}

/** Where an item names its recipient (RFC 6901). */
export const RECIPIENT_POINTER = '/recipient/value'

const VIOLATIONS_MAX = 10
/** Details quote names of the caller, which may be long. */
const DETAIL_CHARS_MAX = 300

/** Returns the stored error of a failed item. */
export function itemErrorOf({ code, detail, violations = [] }: Fault): BatchItemError {
  const { api, title } = faults[code]
  const [first] = violations
  // A list of allowed values may be long.
  const stored = violations.slice(0, VIOLATIONS_MAX).map(({ limit, ...one }) => ({
    ...one,
    detail: cut(one.detail),
    ...((typeof limit === 'number' || (typeof limit === 'string' && limit.length < DETAIL_CHARS_MAX)) && { limit }),
  }))
  return {
    code: api[1],
    detail: cut(first?.detail ?? detail ?? title),
    ...(first !== undefined && { violations: stored }),
  }
}

function cut(text: string): string {
  return text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX).toWellFormed()}…` : text
}
