import { toPem } from '../../crypto/x509/pem.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import type { Attester } from '../../protocols/oauth2/build-client-attestation.ts'
import { platformTenantId } from '../../store/store.ts'
import { certificateOfAttester, type ProviderNeeds, providerRoot } from './provider-certificates.ts'

type Needs = ProviderNeeds & Pick<Platform, 'memory'>

/**
 * Returns the wallet provider of this deployment, which attests its wallets and their keys: one for all tenants, so
 * that an attestation does not name the tenant of a user [W-I1]. Its certificate is below a root that is published, and
 * does not carry it. [HAIP-8] [HAIP-9]
 */
export async function walletProvider(needs: Needs): Promise<Attester> {
  const { keys, urls, memory, clock } = needs
  const key = await keys.current(platformTenantId, 'wallet-provider')
  const cache = memory.cache<Promise<string>>('wallet.provider_certificates')
  const certificate = await remembered(cache, key.kid, clock.now(), async () =>
    (await certificateOfAttester(needs, key)).der.toString('base64'),
  )
  return { iss: urls.publicUrl, x5c: [certificate], key }
}

/** Returns the root of the wallet provider in PEM: what issuers trust to accept the wallets of this deployment. */
export async function publishProviderRoot(needs: ProviderNeeds): Promise<string> {
  const { certificate } = await providerRoot(needs)
  return toPem('CERTIFICATE', certificate.der)
}
