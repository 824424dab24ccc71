import type {
  CertificateOrigin,
  CertificateStatus,
  CertificateType,
  LeafType,
  RootType,
} from '../../contract/trust/certificates.ts'
import type { Purpose } from '../../crypto/x509-path/anchor.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** The role of the tenant that a certificate is for. */
export type CertificateKind = Extract<Purpose, 'issuer' | 'verifier'>
/** A certificate of a tenant. */
export type TenantCertificate = {
  readonly id: string
  readonly type: CertificateType
  readonly keyType: KeyType
  readonly origin: CertificateOrigin
  /** At the time of reading. */
  readonly status: CertificateStatus
  /** The root of the tenant that signed it. */
  readonly parentId: string | null
  readonly keyId: string | null
  readonly der: Buffer
  /** PEM of the certificates above an imported one. */
  readonly chain: string
  readonly signMdl: boolean
  readonly notBefore: Date
  readonly notAfter: Date
  readonly renewAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Returns the role that a certificate of a type is for. */
export function kindOf(type: CertificateType): CertificateKind {
  return type === 'issuerRoot' || type === 'issuerSignCredential' ? 'issuer' : 'verifier'
}

/** Returns the type of the leafs of a root. */
export function leafTypeOf(type: RootType): LeafType {
  return type === 'issuerRoot' ? 'issuerSignCredential' : 'verifierSignRequest'
}

/** Whether a type is that of a root. */
export function isRootType(type: CertificateType): type is RootType {
  return type === 'issuerRoot' || type === 'verifierRoot'
}

/** Whether mobile driving licences may be signed below such a root: ISO/IEC 18013-5 B.1.2 has no Ed25519 authority. */
export function canSignMdl(type: CertificateType, keyType: KeyType): boolean {
  return type === 'issuerRoot' && keyType === 'P-256'
}
