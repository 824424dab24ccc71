import type { PublicJwk } from '../../crypto/jwk.ts'
import type { SignatureScheme } from '../../crypto/raw-signature.ts'

/**
 * COSE numbers of the algorithms that we verify: ES256 and EdDSA, and the names of RFC 9864 that also fix the curve.
 * ES256 is taken with P-256 only, EdDSA with Ed25519 only.
 */
export const coseAlgs = { es256: -7, esp256: -9, eddsa: -8, ed25519: -19 } as const

/** A number of {@link coseAlgs}. */
export type CoseAlg = (typeof coseAlgs)[keyof typeof coseAlgs]

/** All of {@link coseAlgs}: the widest list that a caller may allow. */
export const allCoseAlgs: readonly CoseAlg[] = Object.values(coseAlgs)

/** What a number means; null if it is none that we verify. */
export function schemeOf(alg: unknown): SignatureScheme | null {
  if (alg === coseAlgs.es256 || alg === coseAlgs.esp256) return 'ES256'
  return alg === coseAlgs.eddsa || alg === coseAlgs.ed25519 ? 'EdDSA' : null
}

/** The numbers that a key may be used with. */
export function algsOf({ kty }: Pick<PublicJwk, 'kty'>): readonly CoseAlg[] {
  return kty === 'EC' ? [coseAlgs.es256, coseAlgs.esp256] : [coseAlgs.eddsa, coseAlgs.ed25519]
}
