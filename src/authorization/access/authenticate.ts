import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { bearerToken } from '../../http/routes/bearer-token.ts'
import type { Platform } from '../../platform.ts'
import { readToken } from './read-token.ts'

/** Reads the caller out of the headers of a request to our API. */
export type AuthenticateCaller = (headers: IncomingHttpHeaders, requestId: string, ip: string) => Promise<Caller>

/**
 * Makes the check of bearer tokens (RFC 6750, header only).
 *
 * A tenant that was disabled is refused within 5 s. A user or a client that was disabled is refused when its token has run out.
 * Throws Fault `token.missing`, `token.invalid`.
 */
export function authenticate(
  platform: Pick<Platform, 'keys' | 'clock' | 'urls' | 'store' | 'memory'>,
): AuthenticateCaller {
  const wanted = `Send the header Authorization: Bearer with an access token, which POST ${platform.urls.auth}/token gives.`
  return async ({ authorization }, requestId, ip) => {
    const grant = await readToken(platform, bearerToken(authorization, wanted))
    const tenant = await findTenantOf(platform, grant.tenantId)
    if (tenant === null) throw new Fault('token.invalid', { notes: 'the tenant is unknown or disabled' })
    return { ...grant, tenantSlug: tenant.slug, requestId, ip }
  }
}
