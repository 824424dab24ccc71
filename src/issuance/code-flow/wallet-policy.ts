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
export function walletPolicyOf({ settings }: Pick<Tenant, 'settings'>): WalletPolicy {
  return {
    parRequired: settings.pushedRequests === 'required',
    dpopRequired: settings.walletDpop === 'required',
    acceptsUnregistered: settings.unregisteredWallets !== 'refused',
  }
}
