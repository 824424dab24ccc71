import { oids } from '../x509/oids.ts'
import type { Purpose } from './anchor.ts'

/** Document signers of ISO/IEC 18013-5 and ISO/IEC 23220. */
export const mdlSigner: ReadonlySet<string> = new Set([oids.mdlDocumentSigner, oids.mdocDocumentSigner])
/** RFC 5280 4.2.1.12: anyExtendedKeyUsage, or the signing of documents. */
const signing = new Set([oids.anyExtendedKeyUsage, oids.documentSigning, ...mdlSigner])

/** Accepted extended key usages of a leaf, by purpose. Readers and web servers make requests; neither issues. */
const byPurpose: Readonly<Record<Purpose, ReadonlySet<string>>> = {
  issuer: signing,
  verifier: new Set([
    oids.anyExtendedKeyUsage,
    oids.serverAuth,
    oids.clientAuth,
    oids.mdlReaderAuth,
    oids.mdocReaderAuth,
  ]),
  status: signing,
  // OpenID4VCI D and HAIP name no usage; nothing that a wallet provider may have is refused but the other roles.
  attester: new Set([oids.anyExtendedKeyUsage, oids.documentSigning, oids.clientAuth, oids.serverAuth]),
}

/** Returns the accepted extended key usages: the required ones, by default those of the purpose. */
export function usagesOf(purpose: Purpose, required?: readonly string[]): ReadonlySet<string> {
  return required === undefined ? byPurpose[purpose] : new Set(required)
}
