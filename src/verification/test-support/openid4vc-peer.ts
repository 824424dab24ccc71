import { createHash, X509Certificate } from 'node:crypto'
import { setGlobalConfig } from '@openid4vc/oauth2'
import type { Openid4vpVerifier } from '@openid4vc/openid4vp'
import { CompactEncrypt, compactDecrypt, compactVerify, exportJWK, importJWK, type JWK, SignJWT } from 'jose'

type Callbacks = ConstructorParameters<typeof Openid4vpVerifier>[0]['callbacks']

/** The cryptography for `@openid4vc/openid4vp`, by jose. `didKeys`: of a DID, by the id of the verification method. */
export function peerCallbacks(
  didKeys: (url: string) => Promise<JWK> | JWK,
  own: { readonly signing?: JWK; readonly decryption?: JWK } = {},
): Callbacks {
  // Servers of tests have http addresses.
  setGlobalConfig({ allowInsecureUrls: true })
  const keyOf = async (signer: Parameters<Callbacks['verifyJwt']>[0]): Promise<JWK> => {
    if (signer.method === 'did') return didKeys(signer.didUrl)
    if (signer.method === 'x5c') {
      const certificate = new X509Certificate(Buffer.from(signer.x5c[0] ?? '', 'base64'))
      return exportJWK(certificate.publicKey)
    }
    throw new Error(`no key for ${signer.method}`)
  }
  return {
    fetch,
    hash: (data, alg) => createHash(alg.replace('-', '')).update(data).digest(),
    verifyJwt: async (signer, { compact }) => {
      const jwk = await keyOf(signer)
      await compactVerify(compact, await importJWK(jwk, 'ES256'))
      return { verified: true, signerJwk: { kty: 'EC', ...jwk } }
    },
    signJwt: async (_, { header, payload }) => {
      const jwk = own.signing ?? {}
      const head = { ...Object(header), alg: 'ES256' }
      const jwt = await new SignJWT({ ...Object(payload) }).setProtectedHeader(head).sign(await importJWK(jwk, 'ES256'))
      const { d: __, ...signerJwk } = jwk
      return { jwt, signerJwk: { kty: 'EC', ...signerJwk } }
    },
    encryptJwe: async ({ publicJwk, alg, enc }, data) => {
      const header = { alg, enc, ...(publicJwk.kid !== undefined && { kid: publicJwk.kid }) }
      const key = await importJWK(publicJwk as JWK, alg)
      const jwe = await new CompactEncrypt(new TextEncoder().encode(data)).setProtectedHeader(header).encrypt(key)
      return { jwe, encryptionJwk: publicJwk }
    },
    decryptJwe: async (jwe) => {
      const jwk = own.decryption ?? {}
      const { plaintext } = await compactDecrypt(jwe, await importJWK(jwk, 'ECDH-ES'))
      const { d: __, ...decryptionJwk } = jwk
      return {
        decrypted: true,
        decryptionJwk: { kty: 'EC', ...decryptionJwk },
        payload: new TextDecoder().decode(plaintext),
      }
    },
    getX509CertificateMetadata: (certificate) => {
      const names = new X509Certificate(Buffer.from(certificate, 'base64')).subjectAltName?.split(', ') ?? []
      const of = (kind: string) => names.flatMap((one) => (one.startsWith(kind) ? one.slice(kind.length) : []))
      return { sanDnsNames: of('DNS:'), sanUriNames: of('URI:') }
    },
  }
}
