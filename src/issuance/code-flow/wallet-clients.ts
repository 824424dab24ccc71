import type { ServerInstance } from '../../authorization/server/instance.ts'
import { isPublicRedirect } from '../../directory/clients/check-client.ts'
import { type Client, clientDefaults } from '../../directory/clients/client.ts'
import { findClientOf } from '../../directory/clients/find-client.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import type { Platform } from '../../platform.ts'
import { isRegisteredRedirect } from '../../protocols/oauth2/redirect-uri.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls'>

/** RFC 6749 A.1, with a limit of ours. */
const CLIENT_ID = /^[\x20-\x7e]{1,255}$/

/**
 * Returns which wallets are clients of a tenant as credential issuer: its registered clients with the code flow and,
 * where it accepts them, wallets that are registered nowhere. Nothing is known of these but what they say: they get
 * only what a user who signed in agrees to each time, at a redirect URI that a public client could register, and a
 * refresh token only with a key. A name that is registered is never accepted from another.
 */
export function walletClients(
  needs: Needs,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  policy: TenantPolicy['issuing'],
): ServerInstance['clients'] {
  return {
    methods: ['private_key_jwt', 'none'],
    find: (clientId) => findWallet(needs, tenant, policy, clientId),
    isRedirect: (client, uri) =>
      client.grantTypes.includes('authorization_code') &&
      (isUnregistered(client)
        ? isPublicRedirect(uri) || isOwnLocalhost(needs, uri)
        : isRegisteredRedirect(client.redirectUris, uri)),
  }
}

/** In development a server may be known as `http://localhost`, and its wallets return there. */
function isOwnLocalhost({ urls }: Needs, uri: string): boolean {
  return new URL(urls.publicUrl).hostname === 'localhost' && uri.startsWith(`${urls.publicUrl}/`)
}

/** Whether a client is known by what it says of itself only. */
export function isUnregistered({ redirectUris }: Pick<Client, 'redirectUris'>): boolean {
  // The code flow of a registered client needs one.
  return redirectUris.length === 0
}

async function findWallet(
  needs: Needs,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  policy: TenantPolicy['issuing'],
  clientId: string,
): Promise<Client | null> {
  const found = await findClientOf(needs, tenant.id, clientId)
  // A disabled client of the tenant does not return as a stranger.
  if (found === null) return null
  if (found !== 'unknown') {
    // One without the code flow may authenticate for a pre-authorized code.
    const { parRequired, dpopRequired } = found
    return {
      ...found,
      parRequired: parRequired || policy.requiresPushedRequests,
      dpopRequired: dpopRequired || policy.requiresDpop,
    }
  }
  if (!policy.acceptsUnregisteredWallets || !CLIENT_ID.test(clientId)) return null
  return unregistered(tenant, policy, clientId, needs.clock.now())
}

function unregistered(
  { id, slug }: Pick<Tenant, 'id' | 'slug'>,
  policy: TenantPolicy['issuing'],
  clientId: string,
  now: Date,
): Client {
  return {
    ...clientDefaults,
    clientId,
    tenantId: id,
    tenantSlug: slug,
    grantTypes: ['authorization_code', 'refresh_token'],
    isPublic: true,
    dpopRequired: policy.requiresDpop,
    parRequired: policy.requiresPushedRequests,
    secrets: [],
    // There is no row to record its use in.
    lastUsedAt: now,
  }
}
