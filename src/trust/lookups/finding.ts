import { pathFindingMessages } from '../../crypto/x509-path/path-findings.ts'

/** Everything that can stand against the issuer or the status of a credential, beside what is wrong with the credential itself. */
export const trustFindingMessages = {
  ...pathFindingMessages,
  'issuer.not_trusted': 'The issuer is none of those that the organisation trusts.',
  'issuer.name': 'The certificate of the issuer is not for the issuer that the credential names.',
  'status.malformed': 'The status of the credential is not stated in a way that is understood.',
  'status.unavailable': 'The status list of the issuer could not be fetched.',
  'status.missing': 'There is no status list where the credential says.',
  'status.invalid': 'The status list is malformed, has run out, or is not about this address.',
  'status.untrusted': 'The status list is not signed by the issuer of the credential.',
  'status.out_of_range': 'The status list has no entry for the credential.',
  'status.revoked': 'The credential was revoked.',
  'status.suspended': 'The credential is suspended.',
  'status.other': 'The status of the credential is one that is not understood.',
} as const

/** Stable code of {@link trustFindingMessages}. */
export type TrustFindingCode = keyof typeof trustFindingMessages

/** One thing that stands against a credential. `message` may be shown. */
export type TrustFinding = { readonly code: TrustFindingCode; readonly message: string }

/** The finding of a code. */
export function trustFinding(code: TrustFindingCode): TrustFinding {
  return { code, message: trustFindingMessages[code] }
}
