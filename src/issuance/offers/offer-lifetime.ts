import type { Config } from '../../config.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'

/** A mail is read hours or days after it was sent. */
const MAILED_SECONDS = 604_800

/**
 * Returns the lifetime of an offer in seconds: that of its request; else that of the organisation; else that of the
 * server, and at least 7 days if the offer is mailed.
 */
export function offerLifetime(
  { offerTtlSeconds }: Pick<Config, 'offerTtlSeconds'>,
  tenant: Pick<Tenant, 'settings'> | null,
  asked: number | null | undefined,
  isMailed: boolean,
): number {
  const ofServer = isMailed ? Math.max(offerTtlSeconds, MAILED_SECONDS) : offerTtlSeconds
  const ofTenant = tenant?.settings.offerTtlSeconds
  return asked ?? (typeof ofTenant === 'number' ? ofTenant : ofServer)
}
