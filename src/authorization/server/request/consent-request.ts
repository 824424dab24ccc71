import type { Platform } from '../../../platform.ts'
import { readAuthorizationRequest } from '../../../protocols/oauth2/authorization-request.ts'
import type { ServerInstance, UserRef } from '../instance.ts'
import { trustRequest } from './trust-request.ts'

/** What a user is asked to allow. `scopes` are those that the client would get, of our API and of OpenID Connect. */
type ConsentRequest = {
  readonly clientId: string
  readonly clientName: string | null
  /** Where the browser goes afterwards. */
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/**
 * Returns what the authorization request at a path of the authorization endpoint asks of a user.
 *
 * @param path Path and query, as the authorization endpoint passed it on in `continue`.
 * @throws Fault as the authorization endpoint; `scopes` is empty for a user who may not sign in
 */
export async function readConsentRequest(
  platform: Platform,
  instance: ServerInstance,
  path: string,
  user: UserRef,
): Promise<ConsentRequest> {
  const query = Object.fromEntries(new URL(path, instance.issuer).searchParams)
  const { client, parameters, redirectUri } = await trustRequest(platform, instance, query)
  const { scopes } = readAuthorizationRequest(parameters)
  const granted = await instance.users?.scopesOf(platform, user, scopes)
  return { clientId: client.clientId, clientName: client.name, redirectUri, scopes: granted ?? [] }
}
