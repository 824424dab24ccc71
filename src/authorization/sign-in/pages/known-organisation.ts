import { findClient } from '../../../directory/clients/find-client.ts'
import { findTenant, findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { PageContext } from '../../../pages/page-endpoint.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId } from '../../../store/store.ts'
import { isWalletCallback } from '../continue-path.ts'
import { continueTo, sessionOf } from './request.ts'

/**
 * Returns the request with the organisation whose people alone can continue where it leads, so that no page asks for
 * it: that of an issuance session, of a credential issuer, of the application, or of the person who confirms their
 * identity. One that the address names stays.
 */
export async function withKnownOrganisation<Context extends PageContext>(context: Context): Promise<Context> {
  const { tenant, suggested, ...others } = context.query
  if (tenant !== undefined && suggested !== '1') return context
  const slug = await slugFor(context)
  return slug === null ? context : { ...context, query: { ...others, tenant: slug } }
}

async function slugFor(context: PageContext): Promise<string | null> {
  const { platform, query } = context
  const path = continueTo(context)
  if (path === '/account') return query.again === '1' ? ((await sessionOf(context))?.tenantSlug ?? null) : null
  const { pathname, searchParams } = new URL(path, platform.urls.publicUrl)
  if (isWalletCallback(path)) return slugOfState(platform, searchParams.get('state') ?? '')
  const [, issuer] = /^\/issuers\/([^/]+)\//.exec(pathname) ?? []
  if (issuer !== undefined) return (await findTenant(platform, issuer))?.slug ?? null
  const client = await findClient(platform, searchParams.get('client_id') ?? '')
  return client === null || client.tenantId === platformTenantId ? null : client.tenantSlug
}

/**
 * The state of an issuance session has the organisation of its wallet in it. Whether there is such a session is NOT
 * checked.
 */
async function slugOfState(platform: Platform, state: string): Promise<string | null> {
  const secret = readBearerSecret(state)
  return secret === null ? null : ((await findTenantOf(platform, secret.tenantId))?.slug ?? null)
}
