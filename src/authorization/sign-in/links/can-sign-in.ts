import type { UserId } from '../../../caller.ts'
import type { TenantTx } from '../../../store/store.ts'
import { countPasskeys } from '../passkeys/passkey-store.ts'
import { countIdentities } from '../providers/external-identity-store.ts'

/** Whether one of the users has a password, a passkey, or an account at an identity provider. */
export async function canSignIn(
  tx: TenantTx,
  users: readonly { readonly userId: UserId; readonly hasPassword: boolean }[],
): Promise<boolean> {
  if (users.some(({ hasPassword }) => hasPassword)) return true
  const ids = users.map(({ userId }) => userId)
  return (await countPasskeys(tx, ids)) + (await countIdentities(tx, ids)) > 0
}
