import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../caller.ts'
import { findTenantOf } from '../directory/find-tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { readToken } from './read-token.ts'

/** Reads the caller out of the headers of a request to our API. */
export type Authenticate = (headers: IncomingHttpHeaders, requestId: string, ip: string) => Promise<Caller>

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i

/**
 * Makes the check of bearer tokens (RFC 6750, header only).
 *
 * A tenant that was disabled is refused within 5 s. A user or a client that was disabled is refused when its token has run out.
 * Throws Fault `token.missing`, `token.invalid`.
 */
export function authenticate(platform: Pick<Platform, 'keys' | 'clock' | 'urls' | 'store'>): Authenticate {
  return async ({ authorization }, requestId, ip) => {
    // RFC 6750 3.1: without credentials, or with those of another scheme, the answer names no error
    if (authorization === undefined || !/^Bearer( |$)/i.test(authorization))
      throw new Fault('token.missing', { detail: missing(platform.urls.auth) })
    const token = BEARER.exec(authorization)?.[1]
    if (token === undefined) throw new Fault('token.invalid', { detail: 'The Authorization header is malformed.' })
    const grant = await readToken(platform, token)
    const tenant = await findTenantOf(platform, grant.tenantId)
    if (tenant === null) throw new Fault('token.invalid', { notes: 'the tenant is unknown or disabled' })
    return { ...grant, tenantSlug: tenant.slug, requestId, ip }
  }
}

function missing(auth: string): string {
  return `Send the header Authorization: Bearer with an access token, which POST ${auth}/token gives.`
}
