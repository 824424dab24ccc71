import type { UserId } from '../../caller.ts'
import type {
  credentialStatuses,
  issuanceStatuses,
  ReplacementTime,
  statusReasons,
} from '../../contract/issuance/issuances.ts'
import type { Json } from '../../crypto/json.ts'
import type { OfferMail } from '../mails/offer-mail.ts'
import type { CredentialTemplateFormat } from '../templates/template.ts'
import type { OwnValidity, ValidityMoment } from '../templates/validity.ts'

/** State of an issuance. */
export type IssuanceStatus = (typeof issuanceStatuses)[number]
/** State of the credential in an issuance. */
export type CredentialStatus = (typeof credentialStatuses)[number]

/** Why a credential was revoked or suspended. */
export type StatusReason = (typeof statusReasons)[number]

/** An issuance as its issuer sees it, without claims and codes. */
export type Issuance = OwnValidity & {
  readonly id: string
  readonly status: IssuanceStatus
  readonly error: { readonly code: number; readonly message: string; readonly details: readonly Json[] } | null
  readonly credentialStatus: CredentialStatus
  readonly templateId: string
  readonly templateVersion: number
  readonly templateName: string
  readonly format: CredentialTemplateFormat
  readonly reference: string | null
  readonly revocable: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
  readonly issuedAt: Date | null
  readonly acceptedAt: Date | null
  /** Its own, or as the version of its template has it; null: it does not end. */
  readonly validUntil: ValidityMoment | null
  /** The user that it was made for. */
  readonly holderId: UserId | null
  readonly batchId: string | null
  /** Why it was revoked or suspended. */
  readonly statusReason: StatusReason | null
  /** What it is called in lists. */
  readonly sealedLabel: Buffer | null
  readonly offerMail: OfferMail | null
  /** The issuance of the credential whose place this one takes. */
  readonly replaces: { readonly id: string; readonly revoke: ReplacementTime } | null
  /** The issuance of the credential that takes the place of this one. */
  readonly replacedBy: string | null
}

/** An issuance with the username of the user that it was made for; null: none, or the user was deleted. */
export type ShownIssuance = Issuance & { readonly holderName: string | null }
