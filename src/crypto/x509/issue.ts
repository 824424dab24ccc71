import { Fault } from '../../fault.ts'
import { onceThere, type SigningKey, type SoftwareKey, type Soon } from '../signing-key.ts'
import { type Certificate, readCertificate } from '../x509-path/certificate.ts'
import { type CertificateDraft, previewOf, signDraft } from './certificate-draft.ts'
import { lintCertificate } from './lint.ts'
import type { ProfileName } from './profile.ts'

type Root = Certificate | null

/**
 * Lint, then sign. The order is the design: a certificate that its profile does not allow is never in the world, not even unpublished.
 *
 * @param root The certificate of the key that signs; null if it signs itself.
 * @throws Fault `certificate.refused` with the rule in `meta.rule`
 */
export function issueCertificate(
  draft: CertificateDraft,
  profile: ProfileName,
  root: Root,
  key: SoftwareKey,
): Certificate
export function issueCertificate(
  draft: CertificateDraft,
  profile: ProfileName,
  root: Root,
  key: SigningKey,
): Soon<Certificate>
export function issueCertificate(
  draft: CertificateDraft,
  profile: ProfileName,
  root: Root,
  key: SigningKey,
): Soon<Certificate> {
  const [first] = lintCertificate(previewOf(draft), profile, root)
  if (first !== undefined) {
    throw new Fault('certificate.refused', {
      detail: `The certificate would not fit its profile: ${first.text}`,
      meta: { rule: first.rule, profile },
    })
  }
  return onceThere(signDraft(draft, key), readCertificate)
}
