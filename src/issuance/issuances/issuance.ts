import type { CredentialTemplateFormat } from '../templates/template.ts'
import type { credentialStatuses, issuanceStatuses } from './schemas.ts'

/** State of an issuance. */
export type IssuanceStatus = (typeof issuanceStatuses)[number]
/** State of the credential in an issuance. */
export type CredentialStatus = (typeof credentialStatuses)[number]

/** An issuance as its issuer sees it, without claims and codes. */
export type Issuance = {
  readonly id: string
  readonly status: IssuanceStatus
  readonly error: { readonly code: number; readonly message: string; readonly details: readonly unknown[] } | null
  readonly credentialStatus: CredentialStatus
  readonly templateId: string
  readonly format: CredentialTemplateFormat
  readonly reference: string | null
  readonly revocable: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
}
