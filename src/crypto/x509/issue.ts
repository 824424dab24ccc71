import { Fault } from '../../fault.ts'
import type { SigningKey } from '../signing-key.ts'
import { type Certificate, readCertificate } from '../x509-path/certificate.ts'
import { type CertificateDraft, previewOf, signDraft } from './certificate-draft.ts'
import { lintCertificate } from './lint.ts'
import type { ProfileName } from './profile.ts'

/**
 * Lints a draft, then signs it, so that a certificate that violates its profile never exists.
 *
 * @param root The certificate of the signing key; null for a self-signed one.
 * @throws Fault `certificate.refused` with the rule in `meta.rule`
 */
export async function issueCertificate(
  draft: CertificateDraft,
  profile: ProfileName,
  root: Certificate | null,
  key: SigningKey,
): Promise<Certificate> {
  const [first] = lintCertificate(previewOf(draft), profile, root)
  if (first !== undefined) {
    throw new Fault('certificate.refused', {
      detail: `The certificate would violate its profile: ${first.text}`,
      meta: { rule: first.rule, profile },
    })
  }
  return readCertificate(await signDraft(draft, key))
}
