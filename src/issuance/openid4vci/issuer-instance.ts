import type { Grant, ServerInstance } from '../../authorization/server/instance.ts'
import { isHaip } from '../../directory/tenants/haip.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { ATTESTATION_ALGS } from '../../protocols/oauth2/client-attestation.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { clientOfTenant, issuerClients, requiresClients } from '../clients/issuer-clients.ts'
import { aggregationUri } from '../status/sign-status-list.ts'
import { redeemPreAuthorizedCode } from './redeem-code.ts'

/** Returns the authorization server of a tenant as credential issuer. Tokens are for its credential endpoint. */
export function issuerInstance({ urls, store }: Pick<Platform, 'urls' | 'store'>, tenant: Tenant): ServerInstance {
  const issuer = urls.issuer(tenant.slug)
  const acceptsDpop = false
  return {
    issuer,
    tenantId: tenant.id,
    // Access tokens carry a MAC, which only the credential endpoint verifies.
    keys: [],
    readToken: async () => null,
    endpoints: { token: `${issuer}/token` },
    clients: issuerClients(tenant, (clientId) => clientOfTenant({ store }, tenant, clientId), acceptsDpop),
    // [HAIP-1] The profile has the authorization code alone.
    grants: isHaip(tenant) ? [] : [preAuthorizedCode(tenant)],
    acceptsDpop,
    users: null,
    audiences: null,
    scopes: null,
    extensions: {
      'pre-authorized_grant_anonymous_access_supported': !requiresClients(tenant),
      challenge_endpoint: `${issuer}/challenge`,
      client_attestation_signing_alg_values_supported: ATTESTATION_ALGS,
      client_attestation_pop_signing_alg_values_supported: ATTESTATION_ALGS,
      // [VCI-M9] required if a configuration has no scope
      authorization_details_types_supported: ['openid_credential'],
      status_list_aggregation_endpoint: aggregationUri(issuer),
      // [HAIP-2]
      ...(isHaip(tenant) && { require_pushed_authorization_requests: true }),
    },
  }
}

function preAuthorizedCode(tenant: Pick<Tenant, 'id'>): Grant {
  return {
    type: PRE_AUTHORIZED_GRANT,
    client: 'none',
    issue: (platform, { form, ip, requestId }) => redeemPreAuthorizedCode(platform, tenant, form, { ip, requestId }),
  }
}
