import type { DcqlCredential } from '../dcql/match.ts'
import { mdocClaims } from './claims.ts'
import type { IssuerSigned } from './issuer-signed.ts'
import type { VerifiedMdoc } from './verify-device-response.ts'

/** An mdoc in the wallet as DCQL sees it. `holderBound`: whether the key that it is bound to is the holder's. */
export function mdocCandidate({ mso, nameSpaces }: IssuerSigned, holderBound: boolean): DcqlCredential {
  return { format: 'mso_mdoc', type: mso.docType, claims: mdocClaims(nameSpaces), holderBound }
}

/** A verified presentation as DCQL sees it at the verifier. An mdoc is never shown without the holder's signature. */
export function presentedMdoc(
  docType: string,
  { claims, fingerprint }: VerifiedMdoc,
): DcqlCredential & { readonly fingerprint: string } {
  return { format: 'mso_mdoc', type: docType, claims, holderBound: true, fingerprint }
}
