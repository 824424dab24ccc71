import type { JsonObject } from '../../crypto/json.ts'
import type { Urls } from '../../platform.ts'
import type { Presented } from '../../protocols/dcql/check-presented.ts'
import type { TenantTrust } from '../../trust/issuers/is-trusted.ts'
import type { Issue } from '../requests/finding.ts'
import type { TemplateCredential } from '../templates/presentation-template.ts'

/** What a presentation is checked against. */
export type ExpectedPresentation = {
  readonly credential: TemplateCredential
  readonly nonce: string
  /** Our full client identifier, as the request object says it. */
  readonly aud: string
  /** Where the answer was to be sent. */
  readonly responseUri: string
  readonly now: Date
  /** Which issuers the verifier trusts. */
  readonly trust: TenantTrust
  /** The tenant that asks, and the addresses of this deployment. */
  readonly home: { readonly urls: Urls; readonly slug: string }
}

/** What the checks of one presentation came to. Without defects `presented` is there and may be believed. */
export type CheckedCredential = {
  readonly issues: readonly Issue[]
  /** Null unless the signature of this issuer was verified. */
  readonly issuer: string | null
  readonly presented: (Presented & { readonly claims: JsonObject }) | null
}

/** A presentation of which nothing may be believed. */
export function rejectedCredential(issues: readonly Issue[]): CheckedCredential {
  return { issues, issuer: null, presented: null }
}
