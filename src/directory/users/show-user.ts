import { isRole } from '../../caller.ts'
import type { User } from './user.ts'

/** Returns a user as our API shows it. */
export function showUser({ id, username, email, firstName, lastName, enabled, roles: names }: User) {
  const texts = { email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '' }
  return { id, username, ...texts, enabled, roles: names.filter(isRole) }
}

/** Returns what an answer with one user says besides. */
export function userMeta({ externalIdentifier, createdAt, updatedAt, deletedAt }: User) {
  return {
    externalIdentifier,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    deletedAt: deletedAt?.toISOString() ?? null,
  }
}
