import { sha256Base64url } from '../../../crypto/digest.ts'
import { type Client, clientDefaults } from '../../../directory/clients/client.ts'
import {
  CALLBACK_PATH,
  PAGES_CLIENT_ID,
  pagesClientSecret,
  SIGNED_OUT_PATH,
} from '../../../pages/session/pages-client.ts'
import { PAGES_SCOPES } from '../../../pages/session/tokens.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId } from '../../../store/store.ts'

/**
 * Returns the client that our own pages are: confidential, of the platform, for the users of every tenant. It has no
 * row, because nothing of it can be changed.
 */
export async function pagesClient(platform: Pick<Platform, 'sealing' | 'urls' | 'clock'>): Promise<Client> {
  const { publicUrl } = platform.urls
  const hash = sha256Base64url(await pagesClientSecret(platform))
  return {
    ...clientDefaults,
    clientId: PAGES_CLIENT_ID,
    tenantId: platformTenantId,
    tenantSlug: '',
    name: 'Chirograph',
    // Everything that a person may do by a role.
    scopes: PAGES_SCOPES,
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [publicUrl + CALLBACK_PATH],
    postLogoutRedirectUris: [publicUrl + SIGNED_OUT_PATH],
    asksConsent: false,
    parRequired: true,
    // Only this server reads them.
    idTokenSignedResponseAlg: 'ES256',
    secrets: [{ hash, isMade: true, endsAtMs: null }],
    // Nothing is written about its use.
    lastUsedAt: platform.clock.now(),
  }
}
