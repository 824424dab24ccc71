import type { LeafType } from '../../contract/trust/certificates.ts'
import type { SigningRequestStatus } from '../../contract/trust/signing-requests.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** A certificate signing request of a tenant. */
export type TenantSigningRequest = {
  readonly id: string
  readonly type: LeafType
  readonly keyType: KeyType
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string
  readonly signMdl: boolean
  /** At the time of reading. */
  readonly status: SigningRequestStatus
  readonly keyId: string | null
  readonly der: Buffer
  readonly subjectKeyId: Buffer
  readonly certificateId: string | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}
