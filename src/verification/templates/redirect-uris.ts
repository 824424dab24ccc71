import type { TenantId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { asPeerUrl } from '../../protocols/shape.ts'

/** Where requests of a tenant may send browsers. `allowed`: these URLs and what is below them; null: every URL of the form. */
export type RedirectPolicy = { readonly allowHttpLoopback: boolean; readonly allowed: readonly string[] | null }

/** The tenant's setting `redirectUris`, up to 5 s old. Without it nowhere in production, anywhere in development. */
export async function redirectPolicyOf(
  needs: Pick<Platform, 'store' | 'clock' | 'config' | 'memory'>,
  tenantId: TenantId,
): Promise<RedirectPolicy> {
  const { isDevelopment: allowHttpLoopback } = needs.config
  const told = (await findTenantOf(needs, tenantId))?.settings.redirectUris
  const allowed = Array.isArray(told) ? told.filter((one) => typeof one === 'string') : []
  return { allowHttpLoopback, allowed: told === undefined && allowHttpLoopback ? null : allowed }
}

/** [SEC-54] What is wrong with a redirect URI. The wallet hands it to a browser; we never call it. */
export function checkRedirectUri(value: string, pointer: string, policy: RedirectPolicy): readonly Violation[] {
  const url = asPeerUrl(value, policy)
  if (url === null) return [{ detail: 'redirectUri must be an https URL without credentials and fragment.', pointer }]
  if (policy.allowed === null || policy.allowed.some((one) => covers(one, url))) return []
  const detail =
    'redirectUri is not among the URLs that the organisation allows (redirectUris among its settings in the bootstrap file).'
  return [{ detail, pointer }]
}

function covers(allowed: string, { origin, pathname }: URL): boolean {
  if (!URL.canParse(allowed)) return false
  const base = new URL(allowed)
  return (
    base.origin === origin && (base.pathname === pathname || pathname.startsWith(base.pathname.replace(/\/?$/, '/')))
  )
}
