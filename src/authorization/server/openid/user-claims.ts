import { findUser } from '../../../directory/users/find-user.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { displayName, type User } from '../../../directory/users/user.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { authenticateToken, type ProtectedRequest } from '../../access/authenticate.ts'
import type { RequestSource } from '../../access/external-token.ts'
import type { UserRef } from '../../sign-in/visit.ts'

/**
 * Returns the claims about the user of an access token, by its scopes.
 *
 * @throws Fault as `authenticate`, and `scope.missing`
 * @see [OpenID Connect Core 1.0, 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo) and [5.4](https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims)
 */
export async function userClaims(platform: Platform, request: ProtectedRequest, from: RequestSource): Promise<object> {
  const { tenantId, userId, scope } = await authenticateToken(platform, request, from)
  const scopes = new Set(scope.split(' '))
  if (userId === null || !scopes.has('openid')) {
    throw new Fault('scope.missing', { meta: { requiredScope: 'openid' } })
  }
  const user = await platform.store.single(tenantId, (tx) => findUser(tx, 'id', userId))
  if (user === null || !user.enabled) throw new Fault('token.invalid', { notes: 'the user is unknown or disabled' })
  return {
    sub: user.id,
    ...(scopes.has('profile') && profileOf(user)),
    ...(scopes.has('email') && (await emailClaims(platform, { tenantId, userId }))),
  }
}

/**
 * Returns the e-mail address of a user; nothing without one. It is verified if the user has received a link at it, or
 * an identity provider has verified it: an address that an administrator or another system wrote is not.
 *
 * @see [OpenID Connect Core 1.0, 5.1](https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims)
 */
async function emailClaims({ store }: Pick<Platform, 'store'>, { tenantId, userId }: UserRef): Promise<object> {
  const user = await store.single(tenantId, (tx) => findSignInUser(tx, userId))
  return user === null || user.email === null ? {} : { email: user.email, email_verified: user.emailIsVerified }
}

function profileOf(user: User) {
  return {
    name: displayName(user),
    preferred_username: user.username,
    ...(user.firstName !== null && { given_name: user.firstName }),
    ...(user.lastName !== null && { family_name: user.lastName }),
    updated_at: Math.floor(user.updatedAt.getTime() / 1000),
  }
}
