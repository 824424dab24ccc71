import type { TenantId } from '../../caller.ts'
import type { SettingName } from '../../contract/directory/settings.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'
import type { Tenant } from './tenant.ts'

/** What a tenant accepts and requires by its settings, whatever its templates and its requests say. */
export type TenantPolicy = {
  readonly issuing: IssuingPolicy
}

/** Of the wallets that redeem offers of the tenant, and of its credentials. */
type IssuingPolicy = {
  /** Offers may be redeemed with a pre-authorized code. [HAIP-1] */
  readonly acceptsPreAuthorizedCode: boolean
  /** Wallets that are no client of the tenant may use the code flow. */
  readonly acceptsUnregisteredWallets: boolean
  /** Authorization requests must be pushed. [HAIP-2] */
  readonly requiresPushedRequests: boolean
  /** Access tokens of the code flow must be bound to a key of the wallet. [HAIP-2] */
  readonly requiresDpop: boolean
  /** As `requiresDpop`, of a wallet that is known by its attester alone. */
  readonly requiresDpopOfAttested: boolean
  /** Wallets must authenticate as clients. [HAIP-8] */
  readonly requiresClients: boolean
  /** The proof of possession of a client attestation must have the challenge of the server. */
  readonly requiresChallenge: boolean
  /** Client and key attestations must name their attester by `x5c`, without its trust anchor. [HAIP-8] [HAIP-9] */
  readonly requiresUnanchoredAttesters: boolean
  /** Every credential needs a key attestation. [HAIP-9] */
  readonly requiresKeyAttestations: boolean
  /** Credential requests and responses must be encrypted. */
  readonly requiresEncryption: boolean
  /** What signs SD-JWT VCs; null: what their template names. [HAIP-31] */
  readonly signer: { readonly kind: 'certificate'; readonly keyType: 'P-256' } | null
}

/**
 * Returns what a tenant accepts and requires. The one place that knows what the profile (the setting `haip`) forbids and demands.
 *
 * @param tenant null: unknown or disabled, which has no settings.
 * @see [OpenID4VC High Assurance Interoperability Profile 1.0](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html)
 */
export function policyOf(tenant: Pick<Tenant, 'settings'> | null): TenantPolicy {
  const settings: { readonly [name in SettingName]?: unknown } = tenant?.settings ?? {}
  const isProfiled = settings.haip === true
  return {
    issuing: {
      acceptsPreAuthorizedCode: !isProfiled,
      acceptsUnregisteredWallets: settings.unregisteredWallets !== 'refused',
      requiresPushedRequests: isProfiled || settings.pushedRequests === 'required',
      requiresDpop: isProfiled || settings.walletDpop === 'required',
      requiresDpopOfAttested: isProfiled,
      requiresClients: isProfiled || settings.clientAuthentication === 'required',
      requiresChallenge: settings.attestationChallenge === 'required',
      requiresUnanchoredAttesters: isProfiled,
      requiresKeyAttestations: isProfiled || settings.keyAttestations === 'required',
      requiresEncryption: settings.credentialEncryption === 'required',
      signer: isProfiled ? { kind: 'certificate', keyType: 'P-256' } : null,
    },
  }
}

/** Returns the policy of the tenant with an id; up to 5 s old. */
export async function findPolicyOf(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<TenantPolicy> {
  return policyOf(await findTenantOf(needs, tenantId))
}
