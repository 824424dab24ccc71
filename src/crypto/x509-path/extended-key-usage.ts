import type { Purpose } from './anchor.ts'

/** RFC 5280 4.2.1.12: any purpose. */
export const anyExtendedKeyUsage = '2.5.29.37.0'
/** Document signers of ISO/IEC 18013-5 and ISO/IEC 23220. */
export const mdlSigner: ReadonlySet<string> = new Set(['1.0.18013.5.1.2', '1.0.23220.4.1.2'])

const documentSigning = '1.3.6.1.5.5.7.3.36'
const serverAuth = '1.3.6.1.5.5.7.3.1'
const clientAuth = '1.3.6.1.5.5.7.3.2'

/** Accepted extended key usages of a leaf, by purpose. Readers and web servers make requests; neither issues. */
const byPurpose: Readonly<Record<Purpose, ReadonlySet<string>>> = {
  issuer: new Set([anyExtendedKeyUsage, documentSigning, ...mdlSigner]),
  verifier: new Set([anyExtendedKeyUsage, serverAuth, clientAuth, '1.0.18013.5.1.6', '1.0.23220.4.1.6']),
  status: new Set([anyExtendedKeyUsage, documentSigning, ...mdlSigner]),
}

/** Returns the accepted extended key usages: the required ones, by default those of the purpose. */
export function usagesOf(purpose: Purpose, required?: readonly string[]): ReadonlySet<string> {
  return required === undefined ? byPurpose[purpose] : new Set(required)
}
