import { authorizationCode } from '../../authorization/server/grants/authorization-code.ts'
import { refreshToken } from '../../authorization/server/grants/refresh-token.ts'
import type { Grant, ServerInstance } from '../../authorization/server/instance.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import type { Platform } from '../../platform.ts'
import { ATTESTATION_ALGS } from '../../protocols/oauth2/client-attestation.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { issuerClients } from '../clients/issuer-clients.ts'
import { credentialPolicy } from '../code-flow/user-policy.ts'
import { walletClients } from '../code-flow/wallet-clients.ts'
import { aggregationUri } from '../status/sign-status-list.ts'
import { redeemPreAuthorizedCode } from './redeem-code.ts'

/**
 * Returns the authorization server of a tenant as credential issuer: its tokens are for its credential endpoint. The
 * pre-authorized code needs no client unless the tenant requires one; the code flow is for users of the tenant.
 */
export function issuerInstance(needs: Pick<Platform, 'urls' | 'store' | 'clock'>, tenant: Tenant): ServerInstance {
  const issuer = needs.urls.issuer(tenant.slug)
  const policy = policyOf(tenant).issuing
  const users = credentialPolicy(tenant)
  const { find, ...wallets } = walletClients(needs, tenant, policy)
  return {
    issuer,
    tenantId: tenant.id,
    // Access tokens carry a MAC, which only the credential endpoint verifies.
    keys: [],
    readToken: async () => null,
    endpoints: { token: `${issuer}/token`, authorization: `${issuer}/authorize`, pushedRequest: `${issuer}/par` },
    parRequired: policy.requiresPushedRequests,
    clients: { ...wallets, ...issuerClients(tenant, find) },
    grants: [
      ...(policy.acceptsPreAuthorizedCode ? [preAuthorizedCode(tenant)] : []),
      authorizationCode(users),
      refreshToken(users),
    ],
    acceptsDpop: true,
    users,
    audiences: null,
    scopes: null,
    extensions: {
      'pre-authorized_grant_anonymous_access_supported': !policy.requiresClients,
      challenge_endpoint: `${issuer}/challenge`,
      client_attestation_signing_alg_values_supported: ATTESTATION_ALGS,
      client_attestation_pop_signing_alg_values_supported: ATTESTATION_ALGS,
      // [VCI-M9] required if a configuration has no scope
      authorization_details_types_supported: ['openid_credential'],
      status_list_aggregation_endpoint: aggregationUri(issuer),
    },
  }
}

function preAuthorizedCode(tenant: Tenant): Grant {
  return {
    type: PRE_AUTHORIZED_GRANT,
    client: 'none',
    issue: (platform, { form, ip, requestId, jkt }) =>
      redeemPreAuthorizedCode(platform, tenant, form, { ip, requestId }, jkt),
  }
}
