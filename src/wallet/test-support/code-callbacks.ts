import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { type CallbackContext, HashAlgorithm, type Jwk, type Oauth2AuthorizationServer } from '@openid4vc/oauth2'
import { compactVerify, importJWK, type JWK } from 'jose'

/** `provider`: the root of the wallet provider, in PEM. */
type Provided = { readonly provider?: () => Promise<string> }

/**
 * Returns what `@openid4vc/oauth2` leaves to its user: hashes, random bytes, and the keys that sign proofs and
 * attestations.
 */
export function codeCallbacks({
  provider,
}: Provided): ConstructorParameters<typeof Oauth2AuthorizationServer>[0]['callbacks'] {
  const verifyJwt: CallbackContext['verifyJwt'] = async (signer, { compact }) => {
    const jwk = signer.method === 'jwk' ? signer.publicJwk : await providerKey(signer, provider)
    try {
      await compactVerify(compact, await importJWK(jwk as JWK, 'ES256'))
      return { verified: true, signerJwk: jwk }
    } catch {
      return { verified: false }
    }
  }
  return {
    verifyJwt,
    hash: (data, alg) =>
      createHash(alg === HashAlgorithm.Sha256 ? 'sha256' : 'sha512')
        .update(data)
        .digest(),
    generateRandom: (size) => randomBytes(size),
    signJwt: () => Promise.reject(new Error('signs nothing')),
    clientAuthentication: () => undefined,
  }
}

/** HAIP 1.0, 4.4.1: the attester is named by `x5c`, without the trust anchor and without a self-signed certificate. */
async function providerKey(signer: object, provider: Provided['provider']): Promise<Jwk> {
  const [leaf = '', ...above] = 'x5c' in signer && Array.isArray(signer.x5c) ? signer.x5c : []
  const [root, certificate] = [
    new X509Certificate((await provider?.()) ?? ''),
    new X509Certificate(Buffer.from(leaf, 'base64')),
  ]
  const isBelow = certificate.checkIssued(root) && certificate.verify(root.publicKey)
  if (above.length > 0 || !isBelow || certificate.subject === certificate.issuer) throw new Error('an unknown attester')
  return certificate.publicKey.export({ format: 'jwk' }) as Jwk
}
