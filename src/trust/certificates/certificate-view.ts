import type { CertificateView } from '../../contract/trust/certificates.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import { toPem } from '../../crypto/x509/pem.ts'
import type { TenantCertificate } from './certificate.ts'

/** Returns a certificate as our API shows it. */
export function showCertificate(certificate: TenantCertificate): CertificateView {
  const { id, type, keyType, status, origin, der, notAfter, signMdl, parentId, createdAt, updatedAt } = certificate
  const { subject, issuer, serial, fingerprint, notBefore, extensions } = readCertificate(der)
  return {
    id,
    type,
    keyType,
    status,
    origin,
    fingerprint,
    subject: subject.text,
    issuer: issuer.text,
    serialNumber: serial,
    validFrom: notBefore.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    expiresAt: notAfter.toISOString(),
    // [CSR-5]
    subjectKeyIdentifier: extensions.subjectKeyId?.toString('hex') ?? '',
    certificate: toPem('CERTIFICATE', der),
    capabilities: { signMdl },
    parentCertificateId: parentId ?? '',
  }
}
