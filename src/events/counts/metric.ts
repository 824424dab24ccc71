import type { Detail } from '../audit/entry.ts'

/** What is counted of issuances and of the credentials in them. */
export const issuanceMetrics = [
  'offered',
  'completed',
  'expired',
  'failed',
  'canceled',
  'accepted',
  'rejected',
  'revoked',
  'suspended',
  'reinstated',
] as const
/** What is counted of presentation requests. */
export const presentationMetrics = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** One thing that is counted. */
export type Metric =
  | `issuance.${(typeof issuanceMetrics)[number]}`
  | `presentation.${(typeof presentationMetrics)[number]}`

/** What stands in the audit trail of something that may be counted. */
export type AuditEvent = {
  readonly action: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

/** How often something happened to what was made of a template. `month`: of UTC, its first day, `2026-05-01`. */
export type Count = {
  readonly templateId: string
  readonly month: string
  readonly figure: Metric
  readonly count: number
}

/** Counted, but no public events: what they are asked for by. */
export const extraCounted = ['issuance.canceled', 'issuance.reopened'] as const

const figures: Readonly<Record<string, Metric>> = {
  'openid4vc.issuance.offered': 'issuance.offered',
  'openid4vc.issuance.completed': 'issuance.completed',
  'openid4vc.issuance.expired': 'issuance.expired',
  'openid4vc.issuance.failed': 'issuance.failed',
  'issuance.canceled': 'issuance.canceled',
  'issuance.reopened': 'issuance.completed',
  'credential.accepted': 'issuance.accepted',
  'credential.rejected': 'issuance.rejected',
  'credential.revoked': 'issuance.revoked',
  'credential.suspended': 'issuance.suspended',
  'credential.reinstated': 'issuance.reinstated',
  'openid4vc.verification.requested': 'presentation.requested',
  'openid4vc.verification.verified': 'presentation.verified',
  'openid4vc.verification.failed': 'presentation.failed',
  'openid4vc.verification.expired': 'presentation.expired',
}

/**
 * Adds up what happened.
 *
 * @param templates By the id of the subject. What has none is left out.
 */
export function countMetrics(happenings: readonly AuditEvent[], templates: ReadonlyMap<string, string>): Count[] {
  const counts = new Map<string, Count>()
  for (const one of happenings) {
    const figure = metricOf(one)
    const templateId = one.subjectId === null ? undefined : templates.get(one.subjectId)
    if (figure === null || templateId === undefined) continue
    const month = `${one.at.toISOString().slice(0, 7)}-01`
    const key = `${templateId} ${month} ${figure}`
    // What could not be signed is open again, so it was not completed after all.
    const count = (counts.get(key)?.count ?? 0) + (one.action === 'issuance.reopened' ? -1 : 1)
    counts.set(key, { templateId, month, figure, count })
  }
  return [...counts.values()]
}

/** As what it is counted; null: it is not. */
export function metricOf({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): Metric | null {
  // Webhooks know no event of their own for a refusal by the holder.
  if (action === 'openid4vc.verification.failed' && detail.status === 'rejected') return 'presentation.rejected'
  return figures[action] ?? null
}
