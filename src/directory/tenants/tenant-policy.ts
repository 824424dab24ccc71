import type { TenantId } from '../../caller.ts'
import type { SettingName } from '../../contract/directory/settings.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'
import type { Tenant } from './tenant.ts'

/** What a tenant accepts and requires by its settings, whatever its templates and its requests say. */
export type TenantPolicy = {
  readonly issuing: IssuingPolicy
  readonly verifying: VerifyingPolicy
  readonly holding: HoldingPolicy
  readonly presenting: PresentingPolicy
  readonly trusting: TrustingPolicy
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
  /** The attributes of credentials that people hold are kept, so that a correction begins with them. */
  readonly keepsAttributes: boolean
}

/** Of the tenant as a verifier. */
type VerifyingPolicy = {
  /** A request with a redirect URI must be bound to the session of the browser. [HAIP-22] */
  readonly requiresBrowserSession: boolean
  /** A verification page whose owner says nothing tells the outcome also without the way back from the wallet. */
  readonly acceptsAnotherDevice: boolean
}

/** Of the wallets of the tenant's users, towards issuers. */
type HoldingPolicy = {
  /** Who was offered a credential and has no account makes one on the page of the offer. */
  readonly makesWallets: boolean
  /** Wallets ask for signed issuer metadata, and verify them. [HAIP-6] */
  readonly requestsSignedMetadata: boolean
  /** Wallets authenticate wherever the server supports it, also beside public clients. [HAIP-8] */
  readonly authenticates: boolean
  /**
   * An issuer must support what secures the code flow: pushed requests, DPoP, `iss`, client attestations, a scope for
   * each credential, a nonce endpoint. [HAIP-2] [HAIP-3] [HAIP-4] [HAIP-8]
   */
  readonly requiresSecuredFlow: boolean
  /**
   * People may show a credential to whoever has a link. Nothing is known of who opens it, so not where verifiers must
   * be trusted, people must sign in again for each answer, or responses must be encrypted.
   */
  readonly sharesByLink: boolean
}

/** Of presentations, those that the tenant requests and those that its wallets make. */
type PresentingPolicy = {
  /** Requests must come by reference, signed under `x509_hash` with a P-256 certificate. [HAIP-21] [HAIP-22] */
  readonly requiresCertifiedRequests: boolean
  /** Responses must be encrypted. [HAIP-20] */
  readonly requiresEncryptedResponses: boolean
  /** A credential with a key must be presented with it, also where the query waives that. [HAIP-32] */
  readonly requiresHolderBinding: boolean
}

/** Of the issuers of received SD-JWT VCs, and of whom the tenant trusts. */
type TrustingPolicy = {
  /** Issuers must be named by `x5c`, without a self-signed certificate. [HAIP-31] */
  readonly requiresCertifiedIssuers: boolean
  /** Form of their status lists; `certified-jwt`: signers are named by `x5c` likewise. [HAIP-30] */
  readonly statusListForm: 'jwt' | 'certified-jwt'
  /** A self-signed certificate of a verifier may be trusted as itself. [X5-4] [HAIP-21] */
  readonly acceptsPinnedCertificates: boolean
}

/**
 * Returns what a tenant accepts and requires. The one place that knows what the profile (the setting `haip`) forbids
 * and demands.
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
      keepsAttributes: settings.heldAttributes === 'kept',
    },
    verifying: {
      requiresBrowserSession: isProfiled,
      acceptsAnotherDevice: !isProfiled,
    },
    holding: {
      makesWallets: settings.newWallets !== 'added',
      requestsSignedMetadata: isProfiled,
      authenticates: isProfiled,
      requiresSecuredFlow: isProfiled,
      sharesByLink:
        !isProfiled &&
        settings.sharedLinks !== 'off' &&
        settings.verifierPolicy !== 'trusted' &&
        settings.sharingConfirmation !== 'sign-in',
    },
    presenting: {
      requiresCertifiedRequests: isProfiled,
      requiresEncryptedResponses: isProfiled,
      requiresHolderBinding: isProfiled,
    },
    trusting: {
      requiresCertifiedIssuers: isProfiled,
      statusListForm: isProfiled ? 'certified-jwt' : 'jwt',
      acceptsPinnedCertificates: !isProfiled,
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
