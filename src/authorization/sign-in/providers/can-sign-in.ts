import type { UserId } from '../../../caller.ts'
import type { SignInUser } from '../../../directory/users/sign-in-user.ts'
import type { TenantTx } from '../../../store/store.ts'
import { countPasskeys } from '../passkeys/passkey-store.ts'
import { countIdentities } from './external-identity-store.ts'

/** Whether one of the users has a password, a passkey, or an account at an identity provider. */
export async function canSignIn(
  tx: TenantTx,
  users: readonly { readonly userId: UserId; readonly hasPassword: boolean }[],
): Promise<boolean> {
  if (users.some(({ hasPassword }) => hasPassword)) return true
  const ids = users.map(({ userId }) => userId)
  return (await countPasskeys(tx, ids)) + (await countIdentities(tx, ids)) > 0
}

/**
 * Whether a link that signs in may be mailed to the address of a user. An address that a caller changed is not one of a user who can sign in,
 * until the user confirms it: otherwise the caller could set its own address, and sign in as the user.
 */
export async function isMailable(
  tx: TenantTx,
  { userId, emailIsNew, passwordHash }: Pick<SignInUser, 'userId' | 'emailIsNew' | 'passwordHash'>,
): Promise<boolean> {
  return !emailIsNew || !(await canSignIn(tx, [{ userId, hasPassword: passwordHash !== null }]))
}
