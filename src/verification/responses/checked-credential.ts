import type { JsonObject } from '../../crypto/json.ts'
import type { P256Jwk } from '../../crypto/jwk.ts'
import type { TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Urls } from '../../platform.ts'
import type { Presented } from '../../protocols/dcql/check-presented.ts'
import type { TenantTrust } from '../../trust/issuers/is-trusted.ts'
import { isOutOfReach } from '../../trust/lookups/out-of-reach.ts'
import type { ReadStatus } from '../../trust/status-lists/check-status.ts'
import type { CheckFacts } from '../findings/checks.ts'
import { type Issue, issue } from '../findings/finding.ts'
import type { TemplateCredential } from '../templates/presentation-template.ts'

/** What a presentation must match. */
export type ExpectedPresentation = {
  readonly credential: TemplateCredential
  readonly nonce: string
  /** The full client identifier in the request object; over the Digital Credentials API `origin:` and the origin. */
  readonly aud: string
  /** Of the page that requested it over the Digital Credentials API; null: by redirect. */
  readonly origin: string | null
  /** The `response_uri` in the request object. */
  readonly responseUri: string
  /** The key to which the response was encrypted; null if it was not. [VP-H1] */
  readonly encryptionKey: P256Jwk | null
  readonly now: Date
  /** How old the key binding of an SD-JWT VC may be; 5 minutes by default. */
  readonly keyBindingAgeMaxSeconds?: number
  readonly trust: TenantTrust
  /** The tenant that made the request, and the addresses of this deployment. */
  readonly verifier: { readonly urls: Urls; readonly slug: string }
  /** Of that tenant. */
  readonly policy: Pick<TenantPolicy, 'presenting' | 'trusting'>
}

/**
 * The result of the checks of one presentation. `signedByHolder`: the key binding, or the device-signed elements by
 * namespace.
 */
export type CheckedCredential = {
  readonly issues: readonly Issue[]
  /** Null unless its signature was verified. */
  readonly issuer: string | null
  /** Null if there is a defect. */
  readonly presented: (Presented & { readonly claims: JsonObject; readonly signedByHolder: JsonObject }) | null
  /** Null if it was refused before its signature was verified. */
  readonly facts: CheckFacts | null
}

/** Returns the result of a presentation that failed before anything in it was verified. */
export function rejectedCredential(issues: readonly Issue[]): CheckedCredential {
  return { issues, issuer: null, presented: null, facts: null }
}

/** The facts of a presentation whose status list was read; null: it was not, for another defect. */
export function factsOf(
  acceptedAs: CheckFacts['acceptedAs'],
  holderBinding: boolean,
  status: Pick<ReadStatus, 'hasList' | 'issuedAt'> | null,
): CheckFacts {
  const read = status?.hasList ? 'read' : 'none'
  return { acceptedAs, holderBinding, status: status === null ? 'skipped' : read, statusAsOf: status?.issuedAt ?? null }
}

/** Returns what `parse` returns; null if it throws a Fault. */
export function nullIfFault<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

/** Returns the resolved issuer, or the issue of the Fault that prevents it. */
export async function issuerOrIssue<T>(resolving: Promise<T>): Promise<T | Issue> {
  try {
    return await resolving
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return issue(isOutOfReach(error) ? 'issuer.unavailable' : 'issuer.unresolved')
  }
}
