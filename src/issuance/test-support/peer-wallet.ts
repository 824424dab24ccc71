import { createHash } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous, type JwtSigner, setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vciClient, setGlobalConfig as setIssuanceConfig } from '@openid4vc/openid4vci'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'

async function aWallet() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const callbacks: Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'> = {
    hash: (data, alg) => createHash(alg.replace('-', '')).update(data).digest(),
    generateRandom: (length) => crypto.getRandomValues(new Uint8Array(length)),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: async (_signer: JwtSigner, { header, payload }) => {
      const jwt = await new SignJWT(payload as Record<string, unknown>)
        .setProtectedHeader(header as JWTHeaderParameters)
        .sign(privateKey)
      return { jwt, signerJwk: publicJwk as never }
    },
  }
  const signer = { method: 'jwk', alg: 'ES256', publicJwk: publicJwk as never } as const
  return { client: new Openid4vciClient({ callbacks }), signer, publicJwk }
}

/**
 * Redeems an offer with a pre-authorized code and without a transaction code, by a new wallet of
 * `@openid4vc/openid4vci`, over HTTP, on loopback without TLS. Asks for one copy of the first credential.
 *
 * @param offerUri The link for wallets
 * @returns what the issuer answered, and what the next requests of the wallet need
 */
export async function redeemByPeer(offerUri: string) {
  setGlobalConfig({ allowInsecureUrls: true })
  setIssuanceConfig({ allowInsecureUrls: true })
  const { client, signer, publicJwk } = await aWallet()
  const credentialOffer = await client.resolveCredentialOffer(offerUri)
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
  const tokens = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({ credentialOffer, issuerMetadata })
  const { access_token: accessToken } = tokens.accessTokenResponse
  const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
  const [credentialConfigurationId = ''] = credentialOffer.credential_configuration_ids
  const about = { issuerMetadata, credentialConfigurationId }
  const { jwt } = await client.createCredentialRequestJwtProof({ ...about, nonce, signer })
  const { credentialResponse } = await client.retrieveCredentials({ ...about, accessToken, proofs: { jwt: [jwt] } })
  return { client, issuerMetadata, accessToken, credentialResponse, publicJwk }
}
