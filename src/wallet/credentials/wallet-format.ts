import type { TenantId } from '../../caller.ts'
import { type WalletFormat, walletFormats } from '../../contract/wallet/credentials.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'

/** The format identifiers of OpenID4VCI, OpenID4VP and DCQL. */
export const wireFormats = { 'vc+sd-jwt': 'dc+sd-jwt', mso_mdoc: 'mso_mdoc' } as const satisfies Record<
  WalletFormat,
  string
>
/** One of {@link wireFormats}. */
type WireFormat = (typeof wireFormats)[WalletFormat]

/** Returns the name of a format in the API. @param wireFormat One that wallets can hold. */
export function walletFormatOf(wireFormat: string): WalletFormat {
  return wireFormat === 'mso_mdoc' ? 'mso_mdoc' : 'vc+sd-jwt'
}

/**
 * Returns the format identifiers that wallets of a tenant accept and present: the setting `walletFormats`; by default
 * SD-JWT VCs only.
 */
export async function openFormats(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<readonly WireFormat[]> {
  const setting = (await findTenantOf(needs, tenantId))?.settings.walletFormats
  const open = walletFormats.filter((one) => (Array.isArray(setting) ? setting.includes(one) : one === 'vc+sd-jwt'))
  return open.map((one) => wireFormats[one])
}
