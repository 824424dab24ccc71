import type { JsonObject } from '../../crypto/json.ts'
import type { PresentationTemplateFormat } from '../templates/presentation-template.ts'
import type { Snapshot } from '../templates/template-query.ts'
import type { Issue } from './finding.ts'

/** Statuses of a request as our API shows them. `requested` is open; the others are final. */
export const requestStatuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** One of {@link requestStatuses}. */
export type RequestStatus = (typeof requestStatuses)[number]

/** What came of one credential that was asked for. `attributes` is empty unless `isValid`: nothing else may be believed. */
export type CredentialResult = {
  readonly isValid: boolean
  readonly name: string | null
  readonly type: string
  readonly format: PresentationTemplateFormat
  /** Only what the template asks for. */
  readonly attributes: JsonObject
  /** DID, https identifier or subject of a certificate; null where nobody could be made out. */
  readonly issuer: string | null
  readonly issues: readonly Issue[]
}

/** Why a request did not end as verified. `code` is in the manner of HTTP. */
export type RequestError = { readonly code: number; readonly message: string; readonly details: readonly Issue[] }

/** A presentation request with its result, as the organisation that made it sees it. */
export type PresentationRequest = {
  readonly id: string
  readonly status: RequestStatus
  readonly templateId: string
  readonly reference: string | null
  /** Who asks, as wallets know us; null: the did:web of the tenant. */
  readonly clientId: string | null
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What a wallet is asked, and what its answer is checked against. */
export type PendingRequest = Snapshot & {
  readonly id: string
  readonly nonce: string
  readonly state: string
  readonly expiresAt: Date
  /** Null: the did:web of the tenant. */
  readonly clientId: string | null
  /** The certificate that signs; null as `clientId` is. */
  readonly signerId: string | null
}

/** A question whose answer this process, and no other, is checking. `claim` is the proof. */
export type ClaimedRequest = PendingRequest & {
  readonly claim: string
  readonly redirectUri: string | null
  readonly retentionSeconds: number
}

/** How an answer ended. */
export type RequestOutcome = {
  readonly status: 'verified' | 'rejected' | 'failed'
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
}

/** An answer that could not be checked to the end, and why. The same answer may hold another time. */
export type Inconclusive = { readonly status: 'undecided'; readonly details: readonly Issue[] }
