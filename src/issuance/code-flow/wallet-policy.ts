import { isHaip } from '../../directory/tenants/haip.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'

/** What a tenant requires of wallets in the code flow. */
export type WalletPolicy = {
  /** Authorization requests must be pushed. */
  readonly parRequired: boolean
  /** Access tokens must be bound to a key. */
  readonly dpopRequired: boolean
  /** Wallets that are no client of the tenant are accepted. */
  readonly acceptsUnregistered: boolean
}

/** Returns what the settings of a tenant require of wallets in the code flow. */
export function walletPolicyOf(tenant: Pick<Tenant, 'settings'>): WalletPolicy {
  const { settings } = tenant
  return {
    // [HAIP-2]
    parRequired: settings.pushedRequests === 'required' || isHaip(tenant),
    dpopRequired: settings.walletDpop === 'required' || isHaip(tenant),
    acceptsUnregistered: settings.unregisteredWallets !== 'refused',
  }
}
