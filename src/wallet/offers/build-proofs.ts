import { softwareKey } from '../../crypto/signing-key.ts'
import type { Platform } from '../../platform.ts'
import { buildKeyAttestation } from '../../protocols/openid4vci/build-key-attestation.ts'
import type { Proofs } from '../../protocols/openid4vci/credential-request.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import { walletProvider } from '../issuer-access/wallet-provider.ts'
import type { Dataset, Order } from './order.ts'

/**
 * Builds the key proofs of a credential request, of the type that the issuer requires [W-C2]: one for each key, or one
 * with an attestation of all keys. [HAIP-9]
 */
export async function buildProofs(
  platform: Pick<Platform, 'keys' | 'urls' | 'clock' | 'store' | 'memory'>,
  { credentialIssuer, client }: Pick<Order, 'credentialIssuer' | 'client'>,
  { configuration, keys }: Pick<Dataset, 'configuration' | 'keys'>,
  nonce: string | null,
): Promise<Proofs> {
  const { proofType: type, keyAttestation: policy } = configuration
  const now = platform.clock.now()
  // [W-C3] `aud` is the issuer identifier
  const claims = { issuer: credentialIssuer, nonce, clientId: client.clientId }
  const [first] = keys
  if (first === undefined || (type === 'jwt' && policy === null)) {
    const values = keys.map(({ privateKey }) => buildJwtProof(claims, softwareKey(privateKey), now))
    return { type: 'jwt', values: await Promise.all(values) }
  }
  const attested = keys.map(({ publicJwk }) => publicJwk)
  const keyAttestation = await buildKeyAttestation(attested, nonce, await walletProvider(platform), now)
  if (type === 'attestation') return { type, values: [keyAttestation] }
  // [VCI-K3] signed by one of the attested keys
  return { type, values: [await buildJwtProof({ ...claims, keyAttestation }, softwareKey(first.privateKey), now)] }
}
