import { findUser } from '../../../directory/users/find-user.ts'
import { displayName, type User } from '../../../directory/users/user.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { type AuthenticatedRequest, authenticateToken } from '../../access/authenticate.ts'
import type { RequestSource } from '../../access/external-token.ts'

/**
 * Returns the claims about the user of an access token, by its scopes. The e-mail address is what the directory has; whether the user reads
 * it is not known, so `email_verified` is left out.
 *
 * @throws Fault as `authenticate`, and `scope.missing`
 * @see [OpenID Connect Core 1.0, 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo) and [5.4](https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims)
 */
export async function userClaims(
  platform: Platform,
  request: AuthenticatedRequest,
  from: RequestSource,
): Promise<object> {
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
    ...(scopes.has('email') && user.email !== null && { email: user.email }),
  }
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
