import type { TenantTx } from '../../store/store.ts'
import { spendJti } from './spent-jti-store.ts'

/**
 * Spends a value that is accepted once, in the caller's transaction. Returns false if it was spent before; of two concurrent requests, in whatever
 * process, one gets true.
 *
 * @param purpose Values of one purpose are apart from those of others.
 * @param expiresAt When the value is no longer accepted anyway, and may be forgotten.
 */
export function spendOnce(
  tx: TenantTx,
  { purpose, value, expiresAt }: { readonly purpose: string; readonly value: string; readonly expiresAt: Date },
): Promise<boolean> {
  return spendJti(tx, { signer: `once ${purpose}`, jti: value, expiresAt })
}
