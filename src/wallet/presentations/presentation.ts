import type { TenantId } from '../../caller.ts'
import type { PresentationStatus, PresentationSummary, ShownPresentation } from '../../contract/wallet/presentations.ts'
import type { TrustBasis } from '../../contract/wallet/trust-basis.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { CredentialQuery, CredentialSet, DcqlQuery } from '../../protocols/dcql/query.ts'
import type { KeptImage } from '../../protocols/image.ts'
import type { CheckedRequest } from '../../protocols/openid4vp/check-request.ts'

/** Claims of one credential that are disclosed, or proposed. Paths are dotted. */
export type SelectedCredential = ShownPresentation['selectedCredentials'][number]

/**
 * Claims of one credential that are disclosed besides, since its issuer made them not selectively disclosable. Paths
 * are dotted.
 */
export type AlsoDisclosed = { readonly credentialId: string; readonly attributes: readonly string[] }

/**
 * The verifier. `authenticated`: the name was proved by a signature. `trusted`: the organisation of the holder trusts
 * it.
 */
export type VerifierIdentity = {
  readonly clientId: string
  readonly name: string
  readonly responseHost: string
  readonly authenticated: boolean
  readonly trusted: boolean
  /** The verifier is the organisation of the holder. */
  readonly own?: boolean
  /**
   * Why it is trusted, or what was looked for, when the request arrived. Absent in what was stored before it was kept.
   */
  readonly basis?: TrustBasis
  /** The name that the verifier states about itself; nothing proves it. */
  readonly statedName?: string
}

/**
 * An attestation that the verifier states about itself, e.g. a registration certificate. This server did not verify it.
 * `data`: its text, or JSON.
 */
export type VerifierInfo = { readonly format: string; readonly data: string }

/** What the holder is shown of a request, and what is stored of the answer. */
export type PresentationView = {
  readonly verifier: VerifierIdentity
  readonly purposes: readonly string[]
  /** How long the verifier says that it keeps what it gets. */
  readonly retentionSeconds?: number
  readonly verifierInfo?: readonly VerifierInfo[]
  /** The logo of a known verifier, as it was when the request arrived; `data` in base64. */
  readonly logo?: { readonly mediaType: KeptImage['mediaType']; readonly data: string }
  /** What the holder authorizes with the presentation of one of the queries. */
  readonly transactionData?: readonly {
    readonly type: string
    readonly queryIds: readonly string[]
    readonly content: JsonObject
  }[]
  /** The combinations of queries that satisfy the request, the preferred one first; empty: all queries. */
  readonly credentialSets?: readonly CredentialSet[]
  readonly selected: readonly SelectedCredential[]
  readonly alsoDisclosed?: readonly AlsoDisclosed[]
  /** The credentials of all alternatives, the preferred one first; absent in older rows: newest first. */
  readonly preferred?: readonly string[]
  readonly alternatives: readonly {
    readonly queryId: string
    readonly required: boolean
    readonly multiple: boolean
    readonly credentials: readonly (SelectedCredential & {
      readonly alsoDisclosed?: readonly string[]
      readonly intentToRetain?: readonly string[]
    })[]
  }[]
  readonly unmatched: readonly { readonly queryId: string; readonly types: readonly string[] }[]
  readonly redirectUri?: string
  /** `rule`: how the request had ended, as far as the verifier says it. */
  readonly error?: { readonly code: string; readonly message: string; readonly rule?: string }
}

/** What is needed to answer; deleted when the status is final. */
export type AnswerableRequest = Omit<CheckedRequest, 'expiresAt'> & {
  /** Presentations prove the holder binding of their credentials also where the query waives it. [HAIP-32] */
  readonly alwaysBound: boolean
}

/** A presentation without its sealed parts. */
export type PresentationRow = {
  readonly id: string
  readonly status: PresentationStatus
  readonly isAnswering: boolean
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Returns the status at a moment: one that was not answered in time has expired, even before the sweep records it. */
export function presentationStatusAt(
  { status, isAnswering, expiresAt }: PresentationRow,
  now: Date,
): PresentationStatus {
  return status === 'pending' && !isAnswering && expiresAt <= now ? 'expired' : status
}

/**
 * Returns whether the verifier received the credentials, by the state of the presentation.
 *
 * @param error Why it failed.
 */
export function disclosureStateOf(
  status: PresentationStatus | 'accepted' | 'removed',
  isAnswering: boolean,
  error?: PresentationView['error'],
): PresentationSummary['disclosed'] {
  if (status === 'answered') return 'yes'
  if (status === 'failed' && error?.code === 'presentation.closed') return 'no'
  return status === 'failed' || (status === 'pending' && isAnswering) ? 'unknown' : 'no'
}

/** Returns the queries that no credential matches, with the types that they ask for. */
export function unmatchedOf(
  { credentials }: Pick<DcqlQuery, 'credentials'>,
  isUnmatched: (query: CredentialQuery) => boolean,
): PresentationView['unmatched'] {
  return credentials.filter(isUnmatched).map(({ id, types }) => ({ queryId: id, types: types ?? [] }))
}

/** Returns the presentation as the API shows it. */
export function showPresentation(
  row: PresentationRow,
  view: PresentationView,
  tenantId: TenantId,
  now: Date,
): ShownPresentation {
  return {
    id: row.id,
    tenantId,
    status: presentationStatusAt(row, now),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    selectedCredentials: [...view.selected],
  }
}

/** Returns the `meta` of a presentation. */
export function presentationMeta({ expiresAt }: PresentationRow, view: PresentationView): Record<string, unknown> {
  const {
    verifier,
    purposes,
    retentionSeconds,
    alternatives,
    alsoDisclosed = [],
    unmatched,
    verifierInfo = [],
    logo,
    transactionData = [],
    credentialSets = [],
    redirectUri,
    error,
  } = view
  return {
    verifier,
    ...(logo !== undefined && { hasLogo: true }),
    ...(purposes.length === 0 ? {} : { purpose: purposes.join(' ') }),
    ...(retentionSeconds === undefined ? {} : { retentionSeconds }),
    ...(verifierInfo.length === 0 ? {} : { verifierInfo }),
    ...(transactionData.length === 0 ? {} : { transactionData }),
    ...(credentialSets.length === 0 ? {} : { credentialSets }),
    expiresAt: expiresAt.toISOString(),
    alternatives,
    ...(alsoDisclosed.length === 0 ? {} : { alsoDisclosed }),
    ...(unmatched.length === 0 ? {} : { unmatched }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(error === undefined ? {} : { error }),
  }
}
