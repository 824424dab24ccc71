import type { TenantId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { asPeerUrl } from '../../protocols/shape.ts'

/** Which redirect URIs a tenant may use. `allowed`: these URLs and those under their paths; null: no restriction. */
export type RedirectPolicy = { readonly allowHttpLoopback: boolean; readonly allowed: readonly string[] | null }

/**
 * Returns the tenant's setting `redirectUris`, up to 5 s old. Without it no URL is allowed in production, and every URL
 * in development.
 */
export async function redirectPolicyOf(
  needs: Pick<Platform, 'store' | 'clock' | 'config' | 'memory'>,
  tenantId: TenantId,
): Promise<RedirectPolicy> {
  const { isDevelopment: allowHttpLoopback } = needs.config
  const setting = (await findTenantOf(needs, tenantId))?.settings.redirectUris
  const allowed = Array.isArray(setting) ? setting.filter((one) => typeof one === 'string') : []
  return { allowHttpLoopback, allowed: setting === undefined && allowHttpLoopback ? null : allowed }
}

/**
 * [SEC-54] Returns the violations of a redirect URI. The wallet opens it in a browser; this server never fetches it.
 */
export function checkRedirectUri(value: string, pointer: string, policy: RedirectPolicy): readonly Violation[] {
  const url = asPeerUrl(value, policy)
  if (url === null) {
    const detail = 'redirectUri must be an https URL without credentials and fragment.'
    return [{ detail, pointer, rule: 'redirect.address' }]
  }
  if (policy.allowed === null || policy.allowed.some((one) => covers(one, url))) return []
  const detail =
    'redirectUri is not allowed: add it to redirectUris in the settings of the organisation in the bootstrap file.'
  return [{ detail, pointer, rule: 'redirect.not_listed' }]
}

function covers(allowed: string, { origin, pathname }: URL): boolean {
  if (!URL.canParse(allowed)) return false
  const base = new URL(allowed)
  return (
    base.origin === origin && (base.pathname === pathname || pathname.startsWith(base.pathname.replace(/\/?$/, '/')))
  )
}
