import type { CertificateTexts } from './texts.ts'

/** A signing request as the API shows it. */
export type SigningRequest = {
  readonly id: string
  readonly type: 'issuerSignCredential' | 'verifierSignRequest'
  readonly keyType: 'P-256' | 'Ed25519'
  readonly status: keyof CertificateTexts['csrStates']
  readonly countryName: string
  readonly certificateSigningRequest: string
  readonly subjectKeyIdentifier: string
  readonly certificateId: string
  readonly createdAt: string
  readonly expiresAt: string
}
