import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

/** The encryption of a foreign issuer, by `jose`. */
export type SealedMessages = {
  /** The two members of its metadata. */
  readonly metadata: object
  /** Decrypts a request; the second value is how its response is to be encrypted. */
  readonly open: (body: string) => Promise<Record<string, unknown>>
  /** Encrypts a response as the request wants it. */
  readonly seal: (response: unknown, wish: unknown, key?: JWK) => Promise<string>
}

/**
 * Makes an issuer's key for requests.
 *
 * @param zips Whether responses are compressed.
 * @param isRequired Whether plain messages are refused.
 */
export async function sealedMessages(zips: boolean, isRequired = true): Promise<SealedMessages> {
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k-enc', use: 'enc', alg: 'ECDH-ES' }
  const values = { enc_values_supported: ['A128GCM', 'A256GCM'], encryption_required: isRequired }
  return {
    metadata: {
      credential_request_encryption: { jwks: { keys: [{ kty: 'RSA', alg: 'RSA-OAEP-256' }, jwk] }, ...values },
      credential_response_encryption: {
        alg_values_supported: ['ECDH-ES'],
        ...values,
        ...(zips && { zip_values_supported: ['DEF'] }),
      },
    },
    open: async (body) => {
      const { plaintext, protectedHeader } = await compactDecrypt(body, privateKey)
      if (protectedHeader.kid !== 'k-enc' || protectedHeader.enc !== 'A256GCM') throw new Error('another key or cipher')
      return JSON.parse(Buffer.from(plaintext).toString())
    },
    seal: async (response, wish, key) => {
      const { jwk: to, enc, zip } = Object(wish)
      const text = Buffer.from(JSON.stringify(response))
      const header = { alg: 'ECDH-ES', enc, kid: to.kid, ...(zip !== undefined && { zip }) }
      return new CompactEncrypt(text).setProtectedHeader(header).encrypt(await importJWK(key ?? to, 'ECDH-ES'))
    },
  }
}
