import type { issuanceMetrics, presentationMetrics } from '../../contract/events/statistics.ts'
import type { Detail } from '../audit/entry.ts'

/** The name of a metric, as stored in `event_count.figure`. */
export type Metric =
  | `issuance.${(typeof issuanceMetrics)[number]}`
  | `presentation.${(typeof presentationMetrics)[number]}`
  // Of these issuances a credential was issued before; they are part of the failed ones.
  | 'issuance.failedInWallet'

/** The columns of an audit entry that counting reads. */
export type AuditEvent = {
  readonly action: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

/** The value of a metric for a template and a day in UTC, `2026-05-31`, or a month, as its first day. */
export type Count = {
  readonly templateId: string
  readonly day: string
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
 * Counts events by template, day and metric.
 *
 * @param templates Template ids by the id of the subject. Events without one are left out.
 */
export function countMetrics(events: readonly AuditEvent[], templates: ReadonlyMap<string, string>): Count[] {
  const counts = new Map<string, Count>()
  for (const one of events) {
    const templateId = one.subjectId === null ? undefined : templates.get(one.subjectId)
    if (templateId === undefined) continue
    const day = dayOf(one.at)
    for (const figure of metricsOf(one)) {
      const key = `${templateId} ${day} ${figure}`
      // Signing failed and the issuance was reopened, so its completion is subtracted.
      const count = (counts.get(key)?.count ?? 0) + (one.action === 'issuance.reopened' ? -1 : 1)
      counts.set(key, { templateId, day, figure, count })
    }
  }
  return [...counts.values()]
}

/** Returns the metrics that an event counts for. */
export function metricsOf({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): readonly Metric[] {
  // There is no event type for a refusal by the holder.
  if (action === 'openid4vc.verification.failed' && detail.status === 'rejected') return ['presentation.rejected']
  if (action === 'openid4vc.issuance.failed' && detail.cause === 'wallet')
    return ['issuance.failed', 'issuance.failedInWallet']
  const metric = metrics[action]
  return metric === undefined ? [] : [metric]
}

/** How many credentials have their end on a day in UTC; `infinity`: they have none. */
export type EndCount = { readonly endsOn: string; readonly count: number }

/** Returns by how many an event changes the number of credentials that are not revoked. */
export function credentialsIn({ action }: Pick<AuditEvent, 'action'>): -1 | 0 | 1 {
  return action === 'openid4vc.issuance.completed' ? 1 : action === 'credential.revoked' ? -1 : 0
}

/**
 * Counts credentials by the day on which they end.
 *
 * @param ends The ends by the id of the subject; null: none. Events without one are left out.
 */
export function countEnds(events: readonly AuditEvent[], ends: ReadonlyMap<string, Date | null>): EndCount[] {
  const counts = new Map<string, number>()
  for (const one of events) {
    const end = one.subjectId === null ? undefined : ends.get(one.subjectId)
    if (end === undefined) continue
    const endsOn = end === null ? 'infinity' : dayOf(end)
    counts.set(endsOn, (counts.get(endsOn) ?? 0) + credentialsIn(one))
  }
  return [...counts].map(([endsOn, count]) => ({ endsOn, count }))
}

/** Returns the day of a time in UTC, `2026-05-31`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
