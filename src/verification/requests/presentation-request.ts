import type { PresentationRequestReply } from '../../contract/verification/presentation-requests.ts'
import type { RequestScheme } from '../../protocols/openid4vp/request-link.ts'
import type { Issue } from '../findings/finding.ts'
import type { TemplateSnapshot } from '../templates/template-query.ts'

/** The status of a request in the API. */
export type RequestStatus = PresentationRequestReply['status']

/** The result of one requested credential. `attributes` is empty unless it is valid and the request verified. */
export type CredentialResult = PresentationRequestReply['credentials'][number]

/** The `code` in the error of a request that was canceled. */
export const CANCELED = 410

/** Why a request is not verified. `code` is an HTTP status code. */
export type RequestError = NonNullable<PresentationRequestReply['error']>

/** A presentation request with its result. */
export type PresentationRequest = {
  readonly id: string
  readonly status: RequestStatus
  readonly templateId: string
  /** Null: the template is gone. */
  readonly templateName: string | null
  readonly reference: string | null
  /** Client identifier with its prefix; null: the did:web of the tenant. */
  readonly clientId: string | null
  /** Of the link for wallets; null: by default. */
  readonly scheme: RequestScheme | null
  /** Whether browsers may request it with the Digital Credentials API. */
  readonly isForBrowsers: boolean
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
  /** When a response was accepted; null: none was. */
  readonly completedAt: Date | null
  /** When the result is erased; null: there is none. */
  readonly claimsKeptUntil: Date | null
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
  /** Id of the signing certificate; null if `clientId` is, and for clients that sign with the key of the tenant. */
  readonly signerId: string | null
  /** Sealed; null if the request has none. */
  readonly sealedTransactions: Buffer | null
  readonly digitalCredentials: DigitalCredentialsOptions | null
  /** How long the result is kept. */
  readonly retentionSeconds: number
}

/**
 * How browsers may request a presentation: the origins of their pages, and the kinds of requests, the preferred one
 * first.
 */
export type DigitalCredentialsOptions = {
  readonly origins: readonly string[]
  readonly protocols: readonly ('signed' | 'multisigned' | 'unsigned')[]
}

/** An open request whose response this process checks under the lease `claim`. */
export type ClaimedRequest = PendingRequest & {
  readonly claim: string
  readonly redirectUri: string | null
}

/** The result of a checked response. */
export type RequestOutcome = {
  readonly status: 'verified' | 'rejected' | 'failed'
  readonly error: RequestError | null
  readonly credentials: readonly CredentialResult[]
}

/** A response that could not be checked completely, and why; the wallet may send it again. */
export type Inconclusive = { readonly status: 'undecided'; readonly details: readonly Issue[] }
