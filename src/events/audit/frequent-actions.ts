/**
 * Actions of every issuance and every presentation. The indexes by action and by event type leave them out, because
 * each such entry would pay for them; a read in the order of time finds these entries soon.
 */
const FREQUENT: readonly string[] = [
  'openid4vc.issuance.offered',
  'openid4vc.issuance.completed',
  'openid4vc.verification.requested',
  'openid4vc.verification.verified',
]

/** SQL condition of the indexes that leave these actions out. */
export const RARE = `action not in (${FREQUENT.map((action) => `'${action}'`).join(', ')})`

/** Returns whether those indexes leave an action out. */
export function isFrequent(action: string): boolean {
  return FREQUENT.includes(action)
}
