import type { TenantId, UserId } from '../../../caller.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import type { SignInUser } from '../../../directory/users/sign-in-user.ts'
import { setPasswordHash } from '../../../directory/users/sign-in-users.ts'
import type { ActorColumns } from '../../../events/audit/entry.ts'
import { record } from '../../../events/audit/record.ts'
import { hashPassword } from '../../../keys/password-hash.ts'
import { hashInPlace } from '../../../keys/slow-hashes.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { deleteLinks } from '../one-time-link-store.ts'
import { endSessions } from '../session.ts'
import { checkPassword, type PasswordFinding } from './check-password.ts'

/** Checks a new password of a person of an organisation. @returns why it is refused; null if it is acceptable */
export function findingOf(password: string, user: SignInUser, tenant: Tenant | null): PasswordFinding | null {
  const { username, email, firstName, lastName } = user
  return checkPassword(password, [username, email, firstName, lastName, tenant?.name ?? null, tenant?.slug ?? null])
}

/**
 * Hashes a new password of a user of the tenant, before the transaction that stores it.
 *
 * @throws Fault `request.rate_limited` when too many passwords of the tenant are being hashed
 */
export function hashNewPassword(
  needs: Pick<Platform, 'memory'>,
  tenantId: TenantId,
  password: string,
): Promise<string> {
  return hashInPlace(needs, { tenantId }, () => hashPassword(password))
}

/**
 * Stores a new password in the caller's transaction. Every other session and every one-time link of the user ends.
 *
 * @param except The session that stays, if any.
 * @returns false, and nothing is written, if there is no active user.
 */
export async function storePassword(
  tx: TenantTx,
  userId: UserId,
  hash: string,
  by: ActorColumns,
  now: Date,
  except: string | null = null,
): Promise<boolean> {
  if (!(await setPasswordHash(tx, userId, hash, now))) return false
  await deleteLinks(tx, userId)
  await endSessions(tx, userId, by, now, except)
  await record(tx, { action: 'user.password_changed', subject: { kind: 'user', id: userId }, by }, now)
  return true
}
