import type { Purpose } from '../../crypto/x509-path/anchor.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** Types of root certificates: they sign the certificates of credential signers, or of readers. */
export const rootTypes = ['issuerRoot', 'verifierRoot'] as const
/** Types of the certificates that sign credentials or presentation requests. */
export const leafTypes = ['issuerSignCredential', 'verifierSignRequest'] as const
/** Every type of a certificate. */
export const certificateTypes = [...rootTypes, ...leafTypes] as const
/** One of {@link rootTypes}. */
export type RootType = (typeof rootTypes)[number]
/** One of {@link leafTypes}. */
export type LeafType = (typeof leafTypes)[number]
/** One of {@link certificateTypes}. */
export type CertificateType = (typeof certificateTypes)[number]

/** The role of the tenant that a certificate is for. */
export type CertificateKind = Extract<Purpose, 'issuer' | 'verifier'>

/**
 * `active`: the tenant signs with it or its leafs. `pendingActivation`: another one of its kind and key type was active when it was created.
 * `inactive`: replaced or deactivated, or its key is external. `expired` and `revoked` are final.
 */
export const certificateStatuses = ['pendingActivation', 'active', 'inactive', 'expired', 'revoked'] as const
/** One of {@link certificateStatuses}. */
export type CertificateStatus = (typeof certificateStatuses)[number]

/**
 * `root`: self-signed root of the tenant. `automatic`: leaf of a root, created and renewed automatically. `request`: for the key of a signing
 * request of the tenant. `foreign`: signed by a root of the tenant for an external key.
 */
export const certificateOrigins = ['root', 'automatic', 'request', 'foreign'] as const
/** One of {@link certificateOrigins}. */
export type CertificateOrigin = (typeof certificateOrigins)[number]

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
