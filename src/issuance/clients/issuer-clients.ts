import type { ServerInstance } from '../../authorization/server/instance.ts'
import { type Client, clientDefaults } from '../../directory/clients/client.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf, type TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'

/**
 * Returns what a tenant demands of client attestations.
 *
 * A challenge only where the tenant demands one: HAIP 1.0, 4.4 names none, and libraries of wallets send none. Where
 * DPoP is required the proof of the same request, which has a nonce of the server, shows that the request is fresh.
 */
export function attestationDemands({ requiresUnanchoredAttesters, requiresChallenge }: TenantPolicy['issuing']) {
  return { needsChain: requiresUnanchoredAttesters, needsChallenge: requiresChallenge }
}

/**
 * Returns how clients authenticate at the issuer of a tenant: as clients of the tenant, by an attestation of a trusted
 * attester, or not.
 *
 * @param find Returns the client that a request names; null if it is unknown.
 */
export function issuerClients(
  tenant: Tenant,
  find: (clientId: string) => Promise<Client | null>,
): ServerInstance['clients'] {
  const policy = policyOf(tenant).issuing
  return {
    methods: [
      ...(policy.requiresClients ? [] : (['none'] as const)),
      'private_key_jwt',
      'attest_jwt_client_auth',
      'attest_jwt_client_auth_dpop',
    ],
    isRequired: policy.requiresClients,
    find,
    attestations: {
      ...attestationDemands(policy),
      find: async (clientId) => {
        const found = await find(clientId)
        // An attester vouches for wallets, not for clients that have credentials of their own.
        if (found !== null && !found.isPublic) {
          throw new Fault('client_attestation.invalid', { detail: 'The client authenticates otherwise.' })
        }
        return { ...(found ?? walletClient(tenant, policy, clientId)), isPublic: false }
      },
    },
  }
}

/** Returns the client of a wallet that is not registered. [W-I1] All instances of a wallet product share its id. */
function walletClient(tenant: Tenant, policy: TenantPolicy['issuing'], clientId: string): Client {
  return {
    ...clientDefaults,
    clientId,
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    grantTypes: ['authorization_code', 'refresh_token'],
    isPublic: true,
    dpopRequired: policy.requiresDpopOfAttested,
    parRequired: policy.requiresPushedRequests,
    secrets: [],
    lastUsedAt: null,
  }
}
