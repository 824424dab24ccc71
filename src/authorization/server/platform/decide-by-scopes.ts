import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import type { UserRef } from '../../sign-in/visit.ts'
import { findConsent } from '../consent-store.ts'
import type { Decision, UserPolicy, UserRequest } from '../instance.ts'

/** Returns which of the requested scopes a user may grant; null: the user may not sign in. */
type ScopesOf = (
  platform: Platform,
  user: UserRef,
  client: UserRequest['client'],
  requested: readonly string[],
) => Promise<string[] | null>

/**
 * Returns the decision of an authorization server whose users grant scopes. A consent is remembered: the user is asked
 * again for other scopes, and where the request wants it.
 *
 * @param issuer The authorization server. A consent does not count at another.
 */
export function decideByScopes(issuer: string, scopesOf: ScopesOf): UserPolicy['decide'] {
  return async (platform, asked): Promise<Decision> => {
    const scopes = await scopesOf(platform, asked.session, asked.client, asked.request.scopes)
    if (scopes === null) return { kind: 'sign-in' }
    if (scopes.length === 0) throw new Fault('scope.invalid', { detail: 'The user may grant none of the scopes.' })
    if (await needsConsent(platform, issuer, asked, scopes)) return { kind: 'consent' }
    return { kind: 'grant', scopes, details: null }
  }
}

async function needsConsent(
  { store }: Platform,
  issuer: string,
  { client, request, session, since }: UserRequest,
  scopes: readonly string[],
): Promise<boolean> {
  const isForced = request.prompts.includes('consent')
  if (!client.asksConsent && !isForced) return false
  const { tenantId, userId } = session
  const key = { userId, clientId: client.clientId, issuer }
  const found = await store.single(tenantId, (tx) => findConsent(tx, key))
  if (found === null || scopes.some((one) => !found.scopes.includes(one))) return true
  return isForced && (since === null || found.grantedAt < since)
}
