import type { SigningRequestView } from '../../contract/trust/signing-requests.ts'
import { toPem } from '../../crypto/x509/pem.ts'
import type { TenantSigningRequest } from './signing-request.ts'

/** Returns a signing request as our API shows it. */
export function showSigningRequest(request: TenantSigningRequest): SigningRequestView {
  const { id, type, keyType, status, der, subjectKeyId, certificateId, expiresAt, createdAt, updatedAt } = request
  return {
    id,
    type,
    keyType,
    status,
    countryName: request.country,
    capabilities: { signMdl: request.signMdl },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    certificateSigningRequest: toPem('CERTIFICATE REQUEST', der),
    subjectKeyIdentifier: subjectKeyId.toString('hex'),
    certificateId: certificateId ?? '',
    expiresAt: expiresAt.toISOString(),
  }
}
