import type { ServerInstance } from '../../authorization/server/instance.ts'
import { type Client, clientDefaults } from '../../directory/clients/client.ts'
import { isHaip } from '../../directory/tenants/haip.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'

/** Whether wallets must authenticate as clients to the issuer of a tenant. [HAIP-8] */
export function requiresClients(tenant: Pick<Tenant, 'settings'>): boolean {
  return isHaip(tenant) || tenant.settings.clientAuthentication === 'required'
}

/**
 * Returns what a tenant demands of client attestations.
 *
 * A challenge only where the tenant demands one: HAIP 1.0, 4.4 names none, and libraries of wallets send none. Under
 * the profile the DPoP proof of the same request, which has a nonce of the server, shows that the request is fresh.
 */
export function attestationDemands(tenant: Pick<Tenant, 'settings'>) {
  return {
    // [HAIP-8]
    needsChain: isHaip(tenant),
    needsChallenge: tenant.settings.attestationChallenge === 'required',
  }
}

/**
 * Returns how clients authenticate at the issuer of a tenant: as clients of the tenant, by an attestation of a trusted attester, or not.
 *
 * @param find Returns the client that a request names; null if it is unknown.
 */
export function issuerClients(
  tenant: Tenant,
  find: (clientId: string) => Promise<Client | null>,
): ServerInstance['clients'] {
  const isRequired = requiresClients(tenant)
  const own = async (clientId: string) => {
    const found = await find(clientId)
    return found === null ? null : strict(tenant, found)
  }
  return {
    methods: [
      ...(isRequired ? [] : (['none'] as const)),
      'private_key_jwt',
      'attest_jwt_client_auth',
      'attest_jwt_client_auth_dpop',
    ],
    isRequired,
    find: own,
    attestations: {
      ...attestationDemands(tenant),
      find: async (clientId) => {
        const found = await own(clientId)
        // An attester vouches for wallets, not for clients that have credentials of their own.
        if (found !== null && !found.isPublic) {
          throw new Fault('client_attestation.invalid', { detail: 'The client authenticates otherwise.' })
        }
        return { ...(found ?? walletClient(tenant, clientId)), isPublic: false }
      },
    },
  }
}

/** Returns the client of a wallet that is not registered. [W-I1] All instances of a wallet product share its id. */
function walletClient(tenant: Tenant, clientId: string): Client {
  return strict(tenant, {
    ...clientDefaults,
    clientId,
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    grantTypes: ['authorization_code', 'refresh_token'],
    isPublic: true,
    secrets: [],
    lastUsedAt: null,
  })
}

/** [HAIP-2] A client of a tenant with the profile pushes its requests and binds its tokens to a key. */
function strict(tenant: Tenant, client: Client): Client {
  return isHaip(tenant) ? { ...client, dpopRequired: true, parRequired: true } : client
}
