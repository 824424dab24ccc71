import { canonical } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { randomToken } from '../../crypto/random.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { toNumericDate } from '../numeric-date.ts'

const LIFETIME_SECONDS = 300

/**
 * The attester of the wallet: its name, its key, and the chain of the key without the trust anchor, in base64 of DER.
 * [HAIP-8]
 */
export type Attester = { readonly iss: string; readonly x5c: readonly string[]; readonly key: SigningKey }

/**
 * Creates the two headers by which a client authenticates with an attestation. Both are for one request. [W-I2]
 *
 * @param client `clientId`: `sub` of the attestation. `key`: the instance key that the attestation names. `server`: the
 *   issuer identifier of the authorization server. `challenge`: null: the server gave none.
 * @see [OAuth 2.0 Attestation-Based Client Authentication](https://datatracker.ietf.org/doc/draft-ietf-oauth-attestation-based-client-auth/)
 */
export async function buildClientAttestation(
  client: {
    readonly clientId: string
    readonly key: SigningKey
    readonly server: string
    readonly challenge: string | null
  },
  attester: Attester,
  now: Date,
): Promise<Readonly<Record<string, string>>> {
  const { clientId, key, server, challenge } = client
  const iat = toNumericDate(now)
  const cnf = { jwk: canonical(key.publicJwk) }
  const attestation = signCompact(
    { typ: 'oauth-client-attestation+jwt', x5c: [...attester.x5c] },
    { iss: attester.iss, sub: clientId, iat, exp: iat + LIFETIME_SECONDS, cnf },
    attester.key,
  )
  const pop = signCompact(
    { typ: 'oauth-client-attestation-pop+jwt' },
    // `iss` is required by draft 07 and `exp` by earlier ones; later ones ignore both
    {
      iss: clientId,
      aud: server,
      jti: randomToken(16),
      iat,
      exp: iat + LIFETIME_SECONDS,
      ...(challenge !== null && { challenge }),
    },
    key,
  )
  return { 'oauth-client-attestation': await attestation, 'oauth-client-attestation-pop': await pop }
}
