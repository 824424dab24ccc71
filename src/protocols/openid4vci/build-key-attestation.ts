import { canonical, type PublicJwk } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { toNumericDate } from '../numeric-date.ts'
import type { Attester } from '../oauth2/build-client-attestation.ts'
import type { AttestationPolicy } from './key-attestation.ts'

/** The level of this wallet's key storage and user authentication: keys in software, sealed at rest. ISO/IEC 18045 */
const WALLET_LEVEL = 'iso_18045_basic'
const LIFETIME_SECONDS = 300

/** Whether an attestation of {@link WALLET_LEVEL} is enough. [VCI-K5] */
export function meetsPolicy({ keyStorage, userAuthentication }: AttestationPolicy): boolean {
  return [keyStorage, userAuthentication].every((levels) => levels === undefined || levels.includes(WALLET_LEVEL))
}

/**
 * Creates a key attestation of the wallet provider for all keys of a credential request. [VCI-K1] [HAIP-9]
 *
 * @param nonce The `c_nonce`; null only without a nonce endpoint. [VCI-K2]
 * @see [OpenID4VCI 1.0, D.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-key-attestation-in-jwt-forma)
 */
export function buildKeyAttestation(
  keys: readonly PublicJwk[],
  nonce: string | null,
  provider: Attester,
  now: Date,
): Promise<string> {
  const claims = {
    iss: provider.iss,
    iat: toNumericDate(now),
    exp: toNumericDate(now) + LIFETIME_SECONDS,
    attested_keys: keys.map(canonical),
    key_storage: [WALLET_LEVEL],
    user_authentication: [WALLET_LEVEL],
    ...(nonce !== null && { nonce }),
  }
  return signCompact({ typ: 'key-attestation+jwt', x5c: [...provider.x5c] }, claims, provider.key)
}
