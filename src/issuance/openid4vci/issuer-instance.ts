import type { ServerInstance } from '../../authorization/server/instance.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { aggregationUri } from '../status/sign-status-list.ts'
import { redeemPreAuthorizedCode } from './redeem-code.ts'

/** Returns the authorization server of a tenant as credential issuer: wallets need no client id, and tokens are for its credential endpoint. */
export function issuerInstance({ urls }: Pick<Platform, 'urls'>, tenant: Pick<Tenant, 'id' | 'slug'>): ServerInstance {
  const issuer = urls.issuer(tenant.slug)
  return {
    issuer,
    tenantId: tenant.id,
    // Access tokens carry a MAC, which only the credential endpoint verifies.
    keys: [],
    readToken: async () => null,
    endpoints: { token: `${issuer}/token` },
    clients: { methods: ['none'], find: async () => null },
    grants: [
      {
        type: PRE_AUTHORIZED_GRANT,
        client: 'none',
        issue: (platform, { form, ip, requestId }) =>
          redeemPreAuthorizedCode(platform, tenant, form, { ip, requestId }),
      },
    ],
    acceptsDpop: false,
    users: null,
    audiences: null,
    scopes: null,
    extensions: {
      'pre-authorized_grant_anonymous_access_supported': true,
      // [VCI-M9] required if a configuration has no scope
      authorization_details_types_supported: ['openid_credential'],
      status_list_aggregation_endpoint: aggregationUri(issuer),
    },
  }
}
