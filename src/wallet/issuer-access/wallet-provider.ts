import type { Platform } from '../../platform.ts'
import { ownDidDocument } from '../../protocols/did/did-document.ts'
import { didWebOf } from '../../protocols/did/did-web.ts'
import type { Attester } from '../../protocols/oauth2/build-client-attestation.ts'
import { platformTenantId } from '../../store/store.ts'

type Needs = Pick<Platform, 'keys' | 'urls'>

/**
 * Returns the wallet provider of this deployment, which attests its wallets and their keys: one for all tenants, so that an attestation does
 * not name the tenant of a user. [W-I1]
 */
export async function walletProvider({ keys, urls }: Needs): Promise<Attester> {
  const key = await keys.current(platformTenantId, 'wallet-provider')
  const iss = didWebOf(urls.publicUrl)
  return { iss, kid: `${iss}#${key.kid}`, key }
}

/** Returns the DID document of the wallet provider: its current key, and those retired less than a day ago. */
export async function publishWalletProvider({ keys, urls }: Needs): Promise<object> {
  await keys.current(platformTenantId, 'wallet-provider')
  const published = await keys.published(platformTenantId, ['wallet-provider'])
  const named = published.map(({ kid, jwk }) => ({ kid, publicJwk: jwk, purpose: 'assertionMethod' }) as const)
  return ownDidDocument(didWebOf(urls.publicUrl), named)
}
