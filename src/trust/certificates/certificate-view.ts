import { readCertificate } from '../../crypto/x509/certificate.ts'
import { toPem } from '../../crypto/x509/pem.ts'
import type { TenantCertificate } from './certificate.ts'
import type { CertificateView } from './schemas.ts'

/** Returns a certificate as our API shows it. */
export function showCertificate(certificate: TenantCertificate): CertificateView {
  const { id, type, keyType, status, der, notAfter, signMdl, parentId, createdAt, updatedAt } = certificate
  return {
    ...{ id, type, keyType, status },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    expiresAt: notAfter.toISOString(),
    // [CSR-5]
    subjectKeyIdentifier: readCertificate(der).extensions.subjectKeyId?.toString('hex') ?? '',
    certificate: toPem('CERTIFICATE', der),
    capabilities: { signMdl },
    parentCertificateId: parentId ?? '',
  }
}
