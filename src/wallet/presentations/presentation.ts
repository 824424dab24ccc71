import type { TenantId } from '../../caller.ts'
import type { PathStep } from '../../protocols/dcql/query.ts'
import type { CheckedRequest } from '../../protocols/openid4vp/check-request.ts'
import type { PresentationStatus, ShownPresentation } from '../credentials/schemas.ts'

/** Claims of one credential that are, or would be, shown. Paths are dotted. */
export type SelectedCredential = { readonly credentialId: string; readonly matchedAttributes: readonly string[] }

/** Claims of one credential that are shown with the others, since its issuer put them in the clear. Paths are dotted. */
export type AlsoDisclosed = { readonly credentialId: string; readonly attributes: readonly string[] }

/** Who asks. `authenticated`: the name was proved by a signature. `trusted`: the organisation says so. */
export type VerifierIdentity = {
  readonly clientId: string
  readonly name: string
  readonly responseHost: string
  readonly authenticated: boolean
  readonly trusted: boolean
}

/** What the holder is shown of a request, and what is kept of the answer. */
export type PresentationView = {
  readonly verifier: VerifierIdentity
  readonly purposes: readonly string[]
  readonly selected: readonly SelectedCredential[]
  readonly besides?: readonly AlsoDisclosed[]
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
  readonly error?: { readonly code: string; readonly message: string }
}

/** What is needed to answer; let go when the status is final. */
export type PendingRequest = Omit<CheckedRequest, 'expiresAt'>

/** A presentation without what is sealed. */
export type PresentationRow = {
  readonly id: string
  readonly status: PresentationStatus
  readonly isAnswering: boolean
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The status as of now: one that nobody answered in time has expired, whether or not a sweep came by. */
export function presentationStatusAt(
  { status, isAnswering, expiresAt }: PresentationRow,
  now: Date,
): PresentationStatus {
  return status === 'pending' && !isAnswering && expiresAt <= now ? 'expired' : status
}

/** The presentation as the API shows it. */
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
    selectedCredentials: view.selected.map(({ credentialId, matchedAttributes }) => ({
      credentialId,
      matchedAttributes: [...matchedAttributes],
    })),
  }
}

/** What goes beside it in `meta`. */
export function metaOf({ expiresAt }: PresentationRow, view: PresentationView): Record<string, unknown> {
  const { verifier, purposes, alternatives, besides = [], unmatched, redirectUri, error } = view
  return {
    verifier,
    ...(purposes.length === 0 ? {} : { purpose: purposes.join(' ') }),
    expiresAt: expiresAt.toISOString(),
    alternatives,
    ...(besides.length === 0 ? {} : { alsoDisclosed: besides }),
    ...(unmatched.length === 0 ? {} : { unmatched }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(error === undefined ? {} : { error }),
  }
}

/** A claims path pointer in dotted form: `address.locality`, `nationalities[]`, `degrees[0].name`. */
export function pathText(path: readonly PathStep[]): string {
  return path.reduce<string>((text, step) => {
    if (step === null) return `${text}[]`
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}
