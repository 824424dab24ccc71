import type { PublicJwk } from '../../crypto/jwk.ts'
import type { SignatureScheme } from '../../crypto/raw-signature.ts'

/**
 * COSE numbers of the accepted algorithms: ES256 with P-256, EdDSA with Ed25519, and the fully specified ones of RFC
 * 9864.
 */
export const coseAlgs = { es256: -7, esp256: -9, eddsa: -8, ed25519: -19 } as const

/** A number of {@link coseAlgs}. */
export type CoseAlg = (typeof coseAlgs)[keyof typeof coseAlgs]

/** All of {@link coseAlgs}; the default allow-list. */
export const allCoseAlgs: readonly CoseAlg[] = Object.values(coseAlgs)

/** Returns the signature scheme of a number; null if it is not accepted. */
export function schemeOf(alg: unknown): SignatureScheme | null {
  if (alg === coseAlgs.es256 || alg === coseAlgs.esp256) return 'ES256'
  return alg === coseAlgs.eddsa || alg === coseAlgs.ed25519 ? 'EdDSA' : null
}

/** Returns the algorithms of a key. */
export function algsOf({ kty }: Pick<PublicJwk, 'kty'>): readonly CoseAlg[] {
  return kty === 'EC' ? [coseAlgs.es256, coseAlgs.esp256] : [coseAlgs.eddsa, coseAlgs.ed25519]
}
