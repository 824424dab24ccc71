import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { presentedToken } from '../../http/routes/bearer-token.ts'
import type { Platform } from '../../platform.ts'
import { checkTokenBinding } from './check-dpop.ts'
import { type RequestSource, readExternalToken } from './external-token.ts'
import type { AccessTokenGrant } from './platform-token.ts'
import { readToken } from './read-token.ts'

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls' | 'store' | 'memory' | 'sealing' | 'fetch' | 'rateLimiter'>

/** The request that a token authenticates. `url` is the public address, for DPoP; its query does not count. */
export type ProtectedRequest = {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly url: string
}

/** Returns the caller that an API request authenticates. */
type AuthenticateCaller = (request: ProtectedRequest, requestId: string, ip: string) => Promise<Caller>

/**
 * Returns the authentication by access token: Bearer (RFC 6750, header only), or DPoP (RFC 9449) for a token that is
 * bound to a key.
 *
 * A disabled tenant is refused within 5 s, a disabled user or client when its token expires.
 * Throws Fault `token.missing`, `token.invalid`, `token.dpop_proof`, `token.dpop_nonce`, `request.rate_limited`.
 */
export function authenticate(platform: Needs): AuthenticateCaller {
  return async (request, requestId, ip) => {
    const { jkt, scope, tenantSlug, ...grant } = await authenticateToken(platform, request, { ip, requestId })
    return { ...grant, tenantSlug, requestId, ip }
  }
}

/** Returns what the access token of a request grants. Throws as {@link authenticate}. */
export async function authenticateToken(
  platform: Needs,
  { headers, method, url }: ProtectedRequest,
  from: RequestSource,
): Promise<AccessTokenGrant & { readonly tenantSlug: string }> {
  const hint = `Send the header Authorization: Bearer with an access token from POST ${platform.urls.auth}/token.`
  const { scheme, token } = presentedToken(headers.authorization, hint)
  const grant = (await readExternalToken(platform, token, from)) ?? (await readToken(platform, token))
  const tenant = await findTenantOf(platform, grant.tenantId)
  if (tenant === null) throw new Fault('token.invalid', { notes: 'the tenant is unknown or disabled' })
  const proof = typeof headers.dpop === 'string' ? headers.dpop : undefined
  await checkTokenBinding(platform, grant, { scheme, proof }, { method, url, accessToken: token })
  return { ...grant, tenantSlug: tenant.slug }
}
