import type { Platform } from '../../../platform.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from '../../../protocols/oauth2/authorization-request.ts'
import { requestRulesOf, type ServerInstance } from '../instance.ts'
import { type TrustedRequest, trustRequest } from './trust-request.ts'

/** An authorization request that a page asks a user about. */
type PendingRequest = TrustedRequest & { readonly request: AuthorizationRequest }

/**
 * Returns the authorization request at a path of the authorization endpoint.
 *
 * @param path Path and query, as the authorization endpoint passed it on in `continue`.
 * @throws Fault as the authorization endpoint
 */
export async function readPendingRequest(
  platform: Platform,
  instance: ServerInstance,
  path: string,
): Promise<PendingRequest> {
  const query = Object.fromEntries(new URL(path, instance.issuer).searchParams)
  const trusted = await trustRequest(platform, instance, query)
  const request = readAuthorizationRequest(trusted.parameters, requestRulesOf(instance, trusted.client))
  await instance.users?.check?.(platform, request, trusted.parameters)
  return { ...trusted, request }
}
