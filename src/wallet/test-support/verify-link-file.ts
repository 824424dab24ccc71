import { createHash, createPublicKey, verify } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { Api } from '../../../test/support/server.ts'

/**
 * Verifies signature, disclosures, key binding and status with @sd-jwt, as the recipient of a file would.
 *
 * @param nobody Reads what the issuer publishes
 * @param shared `presentation.json` of a link to a card of a tenant with this slug
 * @throws Error of the library, whatever does not hold
 */
export async function verifiedBySdJwtLibrary(
  nobody: Api,
  { presentation, nonce, organisation }: { presentation: string; nonce: string; organisation: string },
) {
  const [header = '', body = ''] = presentation.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const document = (await nobody.get(`/issuers/${organisation}/did.json`)).body
  const method = document.verificationMethod.find((one: { id: string }) =>
    one.id.endsWith(read(header).kid.split('#')[1]),
  )
  const signedBy = (jwk: object) => (data: string, signature: string) =>
    verify(
      'sha256',
      Buffer.from(data),
      { key: createPublicKey({ key: jwk as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  const library = new SDJwtVcInstance({
    hasher: (text) =>
      createHash('sha256')
        .update(typeof text === 'string' ? text : new Uint8Array(text))
        .digest(),
    hashAlg: 'sha-256',
    verifier: signedBy(method.publicKeyJwk),
    kbVerifier: signedBy(read(body).cnf.jwk),
    statusListFetcher: async (uri) => (await nobody.get(uri)).body,
  })
  // The types of the library know the claims of the profile only.
  const verified: unknown = await library.verify(presentation, { keyBindingNonce: nonce })
  return verified as { payload: Record<string, unknown>; kb?: { payload: Record<string, unknown> } }
}
