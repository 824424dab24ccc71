import type { KeyType } from '../../keys/key-provider.ts'
import type { LeafType } from '../certificates/certificate.ts'

/** `open`: waits for its certificate. `completed`: has it. `expired`: it took too long, its key is destroyed. */
export const signingRequestStatuses = ['open', 'completed', 'expired'] as const
/** One of {@link signingRequestStatuses}. */
export type SigningRequestStatus = (typeof signingRequestStatuses)[number]

/** A certificate signing request of a tenant. */
export type TenantSigningRequest = {
  readonly id: string
  readonly type: LeafType
  readonly keyType: KeyType
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string
  readonly signMdl: boolean
  /** As it is at the moment of reading. */
  readonly status: SigningRequestStatus
  readonly keyId: string | null
  readonly der: Buffer
  readonly subjectKeyId: Buffer
  readonly certificateId: string | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}
