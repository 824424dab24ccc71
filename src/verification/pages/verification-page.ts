import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'

/** What a visitor learns of the result: whether the credential was accepted, or only that the answer arrived. */
type VisitorSees = 'verdict' | 'receipt'

/** What the owner of a verification page decides. */
export type PageContent = {
  /** For the organisation itself. */
  readonly name: string
  readonly presentationTemplateId: string
  /** Of the sites that may embed the page and call its API, as browsers spell them. */
  readonly origins: readonly string[]
  readonly heading: string | null
  readonly explanation: string | null
  readonly visitorSees: VisitorSees
  /** Where the browser of a visitor is led with the response code; null: nowhere. */
  readonly redirectUri: string | null
  /**
   * Whether visitors may answer with a wallet on another device: then the outcome is told without the way back from the
   * wallet. null: as the policy of the tenant has it.
   */
  readonly anotherDevice: boolean | null
  /** Requests that all visitors together may begin within a minute. */
  readonly requestsPerMinute: number
  /** Requests that the visitors of one network may begin within a minute. */
  readonly requestsPerAddress: number
  /** Lifetime of a request. */
  readonly expiresInSeconds: number
  readonly isOpen: boolean
}

/** A page on which visitors of an organisation show credentials. */
export type VerificationPage = PageContent & {
  readonly id: string
  readonly templateName: string
  /** Whether the template is archived: no request can be created. */
  readonly isTemplateArchived: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The content of a new page where its creator says nothing. */
export const pageDefaults = {
  origins: [],
  heading: null,
  explanation: null,
  visitorSees: 'verdict',
  redirectUri: null,
  anotherDevice: null,
  requestsPerMinute: 60,
  requestsPerAddress: 10,
  expiresInSeconds: 600,
  isOpen: true,
} as const satisfies Partial<PageContent>

/**
 * Whether the outcome of a request is told to the browser that began it only once its wallet has led that browser
 * back: an attacker may have begun the request and lured another person to answer it.
 *
 * @see [HAIP 1.0, 5.1](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html)
 */
export function needsWayBack(tenant: Pick<Tenant, 'settings'>, { anotherDevice }: PageContent): boolean {
  return !(anotherDevice ?? policyOf(tenant).verifying.acceptsAnotherDevice)
}

/** Whether visitors can begin a request. */
export function acceptsVisitors({ isOpen, isTemplateArchived }: VerificationPage): boolean {
  return isOpen && !isTemplateArchived
}
