/**
 * What happens in every issuance and every presentation. It is in no index by actor, action or type, which each of them would have to pay for;
 * reading along the order of time meets it soon.
 */
const FREQUENT: readonly string[] = [
  'openid4vc.issuance.offered',
  'openid4vc.issuance.completed',
  'openid4vc.verification.requested',
  'openid4vc.verification.verified',
]

/** Condition of the indexes of the audit trail that leave these actions out. */
export const RARE = `action not in (${FREQUENT.map((action) => `'${action}'`).join(', ')})`

/** Whether an action is in none of those indexes. */
export function isFrequent(action: string): boolean {
  return FREQUENT.includes(action)
}
