import type { TenantId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'

/** Kinds of credentials that a wallet can hold, as the API and the tenant's setting `walletFormats` call them. */
export const walletFormats = ['vc+sd-jwt', 'mso_mdoc'] as const
/** One of {@link walletFormats}. */
export type WalletFormat = (typeof walletFormats)[number]

/** What OpenID4VCI, OpenID4VP and DCQL call them. */
export const wireFormats = { 'vc+sd-jwt': 'dc+sd-jwt', mso_mdoc: 'mso_mdoc' } as const satisfies Record<
  WalletFormat,
  string
>
/** One of {@link wireFormats}. */
export type WireFormat = (typeof wireFormats)[WalletFormat]

/** The name of a format in the API. Formats that wallets do not hold never come so far. */
export function walletFormatOf(wireFormat: string): WalletFormat {
  return wireFormat === 'mso_mdoc' ? 'mso_mdoc' : 'vc+sd-jwt'
}

/**
 * The formats that wallets of a tenant take and show, as protocols call them: the setting `walletFormats`; without one, SD-JWT VCs only.
 */
export async function openFormats(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<readonly WireFormat[]> {
  const told = (await findTenantOf(needs, tenantId))?.settings.walletFormats
  const open = walletFormats.filter((one) => (Array.isArray(told) ? told.includes(one) : one === 'vc+sd-jwt'))
  return open.map((one) => wireFormats[one])
}
