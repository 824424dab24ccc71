import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { Fault } from '../../../fault.ts'
import type { FindPendingConsent } from '../../sign-in/pages/consent-pages.ts'
import { findSession } from '../../sign-in/session.ts'
import { grantConsent } from '../consent-store.ts'
import { userScopes } from '../grants/grant-scopes.ts'
import { readPendingRequest } from '../request/consent-request.ts'
import { platformInstance } from './platform-instance.ts'

/**
 * Returns what an authorization request at the platform asks of the person who is signed in; null without a session,
 * and for a request that the authorization endpoint refuses: it tells the client, or shows its own page.
 */
export const findPendingConsent: FindPendingConsent = async (platform, path, cookie) => {
  const session = await findSession(platform, cookie)
  if (session === null) return null
  const { tenantId, userId } = session
  const instance = platformInstance(platform)
  const pending = await readPendingRequest(platform, instance, path).catch(refusedAsNull)
  const scopes = pending === null ? null : await userScopes(platform, session, pending.client, pending.request.scopes)
  const tenant = await findTenantOf(platform, tenantId)
  const user = await platform.store.single(tenantId, (tx) => findSignInUser(tx, userId))
  if (pending === null || scopes === null || scopes.length === 0 || tenant === null || user === null) return null
  const { clientId, name, tosUri } = pending.client
  const consent = { userId, clientId, scopes, issuer: instance.issuer }
  const { protocol, host } = new URL(pending.redirectUri)
  return {
    clientName: name ?? clientId,
    host: protocol === 'https:' || protocol === 'http:' ? host : null,
    terms: tosUri,
    username: user.username,
    organisation: tenant.name,
    scopes,
    grant: () => platform.store.single(tenantId, (tx) => grantConsent(tx, consent, platform.clock.now())),
  }
}

function refusedAsNull(error: unknown): null {
  if (error instanceof Fault) return null
  throw error
}
