import type { DcqlCredential } from '../dcql/match.ts'
import { mdocClaims } from './claims.ts'
import type { IssuerSigned } from './issuer-signed.ts'
import type { VerifiedMdoc } from './verify-device-response.ts'

/** Returns an mdoc in the wallet as DCQL candidate. `holderBound`: whether its device key is in the wallet. */
export function mdocCandidate({ mso, nameSpaces }: IssuerSigned, holderBound: boolean): DcqlCredential {
  return { format: 'mso_mdoc', type: mso.docType, claims: mdocClaims(nameSpaces), holderBound }
}

/** Returns a verified presentation as input of DCQL at the verifier. It always has the signature of the device key. */
export function presentedMdoc(
  docType: string,
  { claims, fingerprint }: VerifiedMdoc,
): DcqlCredential & { readonly fingerprint: string } {
  return { format: 'mso_mdoc', type: docType, claims, holderBound: true, fingerprint }
}
