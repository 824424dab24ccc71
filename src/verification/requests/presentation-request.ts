import type { JsonObject } from '../../crypto/json.ts'
import type { PresentationTemplateFormat } from '../templates/presentation-template.ts'
import type { TemplateSnapshot } from '../templates/template-query.ts'
import type { Issue } from './finding.ts'

/** Statuses of a request in the API. `requested` is open; the others are final. */
export const requestStatuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** One of {@link requestStatuses}. */
export type RequestStatus = (typeof requestStatuses)[number]

/** The result of one requested credential. `attributes` is empty unless it is valid and the request verified. */
export type CredentialResult = {
  readonly isValid: boolean
  readonly name: string | null
  readonly type: string
  readonly format: PresentationTemplateFormat
  /** Only those that the template requests. */
  readonly attributes: JsonObject
  /** DID, https identifier or subject of a certificate; null if it was not authenticated. */
  readonly issuer: string | null
  readonly issues: readonly Issue[]
}

/** Why a request is not verified. `code` is an HTTP status code. */
export type RequestError = { readonly code: number; readonly message: string; readonly details: readonly Issue[] }

/** A presentation request with its result. */
export type PresentationRequest = {
  readonly id: string
  readonly status: RequestStatus
  readonly templateId: string
  readonly reference: string | null
  /** Client identifier with its prefix; null: the did:web of the tenant. */
  readonly clientId: string | null
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What the request object of an open request is made from, and what a response is checked against. */
export type PendingRequest = TemplateSnapshot & {
  readonly id: string
  readonly nonce: string
  readonly state: string
  readonly expiresAt: Date
  readonly clientId: string | null
  /** Id of the signing certificate; null if `clientId` is. */
  readonly signerId: string | null
}

/** An open request whose response this process checks under the lease `claim`. */
export type ClaimedRequest = PendingRequest & {
  readonly claim: string
  readonly redirectUri: string | null
  readonly retentionSeconds: number
}

/** The result of a checked response. */
export type RequestOutcome = {
  readonly status: 'verified' | 'rejected' | 'failed'
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
}

/** A response that could not be checked completely, and why; the wallet may send it again. */
export type Inconclusive = { readonly status: 'undecided'; readonly details: readonly Issue[] }
