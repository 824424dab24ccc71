import type { Purpose } from '../../crypto/x509-path/anchor.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** The certificates at the top: what they sign is credentials' signers, or readers. */
export const rootTypes = ['issuerRoot', 'verifierRoot'] as const
/** The certificates that sign credentials or presentation requests. */
export const leafTypes = ['issuerSignCredential', 'verifierSignRequest'] as const
/** Every type of a certificate. */
export const certificateTypes = [...rootTypes, ...leafTypes] as const
/** One of {@link rootTypes}. */
export type RootType = (typeof rootTypes)[number]
/** One of {@link leafTypes}. */
export type LeafType = (typeof leafTypes)[number]
/** One of {@link certificateTypes}. */
export type CertificateType = (typeof certificateTypes)[number]

/** Which side of the tenant a certificate is for. */
export type CertificateKind = Extract<Purpose, 'issuer' | 'verifier'>

/**
 * Whether the tenant signs with it. `active`: it does, or its leafs do. `pendingActivation`: another of its kind and key type was there first.
 * `inactive`: it was replaced or switched off, or its key is elsewhere. The last two are final.
 */
export const certificateStatuses = ['pendingActivation', 'active', 'inactive', 'expired', 'revoked'] as const
/** One of {@link certificateStatuses}. */
export type CertificateStatus = (typeof certificateStatuses)[number]

/**
 * Where a certificate comes from: `root`: made here, signs itself. `automatic`: signed by a root of the tenant, made and renewed by itself.
 * `request`: for the key of a signing request of the tenant. `foreign`: signed by a root of the tenant for a key that is elsewhere.
 */
export type CertificateOrigin = 'root' | 'automatic' | 'request' | 'foreign'

/** A certificate of a tenant. */
export type TenantCertificate = {
  readonly id: string
  readonly type: CertificateType
  readonly keyType: KeyType
  readonly origin: CertificateOrigin
  /** As it is at the moment of reading. */
  readonly status: CertificateStatus
  /** The root of the tenant that signed it. */
  readonly parentId: string | null
  readonly keyId: string | null
  readonly der: Buffer
  /** PEM of what stands above an imported one. */
  readonly chain: string
  readonly signMdl: boolean
  readonly notBefore: Date
  readonly notAfter: Date
  readonly renewAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The side that a certificate of a type is for. */
export function kindOf(type: CertificateType): CertificateKind {
  return type === 'issuerRoot' || type === 'issuerSignCredential' ? 'issuer' : 'verifier'
}

/** What a root of that type signs. */
export function leafTypeOf(type: RootType): LeafType {
  return type === 'issuerRoot' ? 'issuerSignCredential' : 'verifierSignRequest'
}

/** Whether a type is that of a root. */
export function isRootType(type: CertificateType): type is RootType {
  return type === 'issuerRoot' || type === 'verifierRoot'
}

/** Whether mobile driving licences may be signed below such a root: ISO/IEC 18013-5 B.1.2 knows no Ed25519 authority. */
export function canSignMdl(type: CertificateType, keyType: KeyType): boolean {
  return type === 'issuerRoot' && keyType === 'P-256'
}
