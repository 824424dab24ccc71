/** The events that webhooks and the event stream carry; every other action stays in the audit trail. */
export const publicEvents = [
  'openid4vc.issuance.offered',
  'openid4vc.issuance.partiallyIssued',
  'openid4vc.issuance.completed',
  'openid4vc.issuance.failed',
  'openid4vc.issuance.expired',
  'openid4vc.verification.requested',
  'openid4vc.verification.verified',
  'openid4vc.verification.failed',
  'openid4vc.verification.expired',
  'credential.accepted',
  'credential.rejected',
  'credential.revoked',
  'credential.suspended',
  'credential.reinstated',
  'certificate.expiring',
  'user.created',
  'user.notification',
] as const

/** One of {@link publicEvents}. */
export type PublicEvent = (typeof publicEvents)[number]

/** Whether an action of the audit trail is a public event too. */
export function isPublicEvent(action: string): action is PublicEvent {
  return publicEvents.some((one) => one === action)
}
