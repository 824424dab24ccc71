import { pathFindingMessages } from '../../crypto/x509-path/path-findings.ts'

/** Every finding about the issuer or the status of a credential. */
export const trustFindingMessages = {
  ...pathFindingMessages,
  'issuer.not_trusted': 'The issuer is not among those that the organisation trusts.',
  'issuer.name': 'The certificate of the issuer is not for the issuer that the credential names.',
  'status.malformed': 'The status claim of the credential is malformed.',
  'status.unsupported': 'The status of the credential is of a kind that this server cannot check.',
  'status.unavailable': 'The status list of the issuer could not be fetched.',
  'status.missing': 'There is no status list at the address in the credential.',
  'status.invalid': 'The status list is malformed, has expired, or is for another address.',
  'status.untrusted':
    'The status list is not signed by the issuer of the credential, nor by a signer that is trusted for its status ' +
    'lists.',
  'status.not_certified':
    'The status list has no x5c, or one with a self-signed certificate; the organisation follows HAIP 1.0, which ' +
    'requires it.',
  'status.out_of_range': 'The status list has no entry for the credential.',
  'status.revoked': 'The credential was revoked.',
  'status.suspended': 'The credential is suspended.',
  'status.other': 'The status of the credential is unknown.',
} as const

/** Stable code of {@link trustFindingMessages}. */
export type TrustFindingCode = keyof typeof trustFindingMessages

/** One reason against a credential. `message` may be shown. */
export type TrustFinding = { readonly code: TrustFindingCode; readonly message: string }

/** Returns the finding of a code. */
export function trustFinding(code: TrustFindingCode): TrustFinding {
  return { code, message: trustFindingMessages[code] }
}
