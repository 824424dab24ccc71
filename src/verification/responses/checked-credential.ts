import type { JsonObject } from '../../crypto/json.ts'
import type { Urls } from '../../platform.ts'
import type { Presented } from '../../protocols/dcql/check-presented.ts'
import type { TenantTrust } from '../../trust/issuers/is-trusted.ts'
import type { Issue } from '../requests/finding.ts'
import type { TemplateCredential } from '../templates/presentation-template.ts'

/** What a presentation must match. */
export type ExpectedPresentation = {
  readonly credential: TemplateCredential
  readonly nonce: string
  /** The full client identifier in the request object. */
  readonly aud: string
  /** The `response_uri` in the request object. */
  readonly responseUri: string
  readonly now: Date
  readonly trust: TenantTrust
  /** The tenant that made the request, and the addresses of this deployment. */
  readonly verifier: { readonly urls: Urls; readonly slug: string }
}

/** The result of the checks of one presentation. */
export type CheckedCredential = {
  readonly issues: readonly Issue[]
  /** Null unless its signature was verified. */
  readonly issuer: string | null
  /** Null if there is a defect. */
  readonly presented: (Presented & { readonly claims: JsonObject }) | null
}

/** Returns the result of a presentation that failed before anything in it was verified. */
export function rejectedCredential(issues: readonly Issue[]): CheckedCredential {
  return { issues, issuer: null, presented: null }
}
