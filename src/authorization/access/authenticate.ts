import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { bearerToken } from '../../http/routes/bearer-token.ts'
import type { Platform } from '../../platform.ts'
import { readExternalToken } from './external-token.ts'
import { readToken } from './read-token.ts'

/** Returns the caller that the headers of an API request authenticate. */
type AuthenticateCaller = (headers: IncomingHttpHeaders, requestId: string, ip: string) => Promise<Caller>

/**
 * Returns the authentication by bearer token (RFC 6750, header only).
 *
 * A disabled tenant is refused within 5 s, a disabled user or client when its token expires.
 * Throws Fault `token.missing`, `token.invalid`.
 */
export function authenticate(
  platform: Pick<Platform, 'keys' | 'clock' | 'urls' | 'store' | 'memory' | 'fetch'>,
): AuthenticateCaller {
  const hint = `Send the header Authorization: Bearer with an access token from POST ${platform.urls.auth}/token.`
  return async ({ authorization }, requestId, ip) => {
    const token = bearerToken(authorization, hint)
    const grant = (await readExternalToken(platform, token)) ?? (await readToken(platform, token))
    const tenant = await findTenantOf(platform, grant.tenantId)
    if (tenant === null) throw new Fault('token.invalid', { notes: 'the tenant is unknown or disabled' })
    return { ...grant, tenantSlug: tenant.slug, requestId, ip }
  }
}
