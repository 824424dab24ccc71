import type { Detail } from '../audit/entry.ts'

/** Metrics of issuances and of the credentials in them. */
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
/** Metrics of presentation requests. */
export const presentationMetrics = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** The name of a metric, as stored in `event_count.figure`. */
export type Metric =
  | `issuance.${(typeof issuanceMetrics)[number]}`
  | `presentation.${(typeof presentationMetrics)[number]}`

/** The columns of an audit entry that counting reads. */
export type AuditEvent = {
  readonly action: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

/** The value of a metric for a template and a month. `month` is its first day in UTC, `2026-05-01`. */
export type Count = {
  readonly templateId: string
  readonly month: string
  readonly figure: Metric
  readonly count: number
}

/** Actions that are counted and are not public events. */
export const extraCounted = ['issuance.canceled', 'issuance.reopened'] as const

const metrics: Readonly<Record<string, Metric>> = {
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
 * Counts events by template, month and metric.
 *
 * @param templates Template ids by the id of the subject. Events without one are left out.
 */
export function countMetrics(events: readonly AuditEvent[], templates: ReadonlyMap<string, string>): Count[] {
  const counts = new Map<string, Count>()
  for (const one of events) {
    const figure = metricOf(one)
    const templateId = one.subjectId === null ? undefined : templates.get(one.subjectId)
    if (figure === null || templateId === undefined) continue
    const month = `${one.at.toISOString().slice(0, 7)}-01`
    const key = `${templateId} ${month} ${figure}`
    // Signing failed and the issuance was reopened, so its completion is subtracted.
    const count = (counts.get(key)?.count ?? 0) + (one.action === 'issuance.reopened' ? -1 : 1)
    counts.set(key, { templateId, month, figure, count })
  }
  return [...counts.values()]
}

/** Returns the metric that an event counts for, or null. */
export function metricOf({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): Metric | null {
  // There is no event type for a refusal by the holder.
  if (action === 'openid4vc.verification.failed' && detail.status === 'rejected') return 'presentation.rejected'
  return metrics[action] ?? null
}
