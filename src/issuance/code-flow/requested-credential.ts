import type { SignIn } from '../../authorization/server/instance.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { AuthorizationRequest, Parameters } from '../../protocols/oauth2/authorization-request.ts'
import { readCredentialDetails } from '../../protocols/openid4vci/authorization-details.ts'
import { readOfferToken } from '../offers/offer-codes.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { templatesByCode, templateVersion } from '../templates/template-cache.ts'
import { findPrepared } from './prepared-store.ts'
import { providerAttributes } from './provider-attributes.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>

/** Of a template. */
const CODE = /^[A-Za-z0-9_-]{1,64}$/

/** The credential that an authorization request asks for. */
type Requested = {
  /** Its current version. */
  readonly template: CredentialTemplate
  /** By `authorization_details`, not by scope. */
  readonly byDetails: boolean
  /** The issuance that `issuer_state` names; null: none is named. */
  readonly issuanceId: string | null
}

/** What a user would get. */
export type RequestedCredential = Requested & {
  /** The version that is issued. */
  readonly issued: CredentialTemplate
  /** null: an issuance is made when the user agrees. */
  readonly issuance: { readonly id: string; readonly claims: JsonObject } | null
  /** Of that new issuance, from the claims of the user's sign-in; null: they come from elsewhere, or there are none. */
  readonly attributes: JsonObject | null
  /** The credential needs claims of an identity provider, and the sign-in of the session brought none. */
  readonly lacksClaims: boolean
}

/**
 * Returns the credential that a request asks for: one, by `authorization_details` or by scope. [VCI-A2]
 *
 * @throws Fault `authorization_details.invalid`, `scope.invalid`, `request.invalid`
 */
export async function readRequested(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  { scopes }: Pick<AuthorizationRequest, 'scopes'>,
  parameters: Parameters,
): Promise<Requested> {
  const details = readCredentialDetails(parameters.authorization_details)
  const named = [...new Set([...(details ?? []), ...scopes])].filter((one) => CODE.test(one))
  const found = await templatesByCode(needs, tenant.id, named)
  const has = (code: string) => found.some((one) => one.code === code)
  if (details?.some((code) => !has(code))) {
    throw new Fault('authorization_details.invalid', { detail: 'The issuer has no such credential configuration.' })
  }
  // [VCI-A3] A scope that names no credential is ignored; one that names what the details name adds nothing.
  const [template, ...others] = found
  if (template === undefined) throw new Fault('scope.invalid', { detail: 'No scope names a credential of the issuer.' })
  if (others.length > 0) {
    const detail = 'Request one credential at a time.'
    throw new Fault(details === null ? 'scope.invalid' : 'authorization_details.invalid', { detail })
  }
  return { template, byDetails: details !== null, issuanceId: await issuanceIn(needs, tenant, parameters.issuer_state) }
}

/** [VCI-A4] An `issuer_state` is never more than the name of an issuance. @throws Fault `request.invalid` */
async function issuanceIn(
  { sealing }: Needs,
  tenant: Pick<Tenant, 'id'>,
  state: string | undefined,
): Promise<string | null> {
  if (state === undefined) return null
  const id = await readOfferToken(sealing, tenant.id, 'issuer-state', state)
  if (id === null) throw new Fault('request.invalid', { detail: 'issuer_state is not from an offer of this issuer.' })
  return id
}

/**
 * Returns what a signed-in user would get: an issuance that the organisation prepared for them, the one of
 * `issuer_state` where the request names it; else, if the template has a source of attributes, a new one. [VCI-A4]
 *
 * @throws Fault `credential.not_prepared`, and those of {@link providerAttributes}
 */
export async function findTarget(
  needs: Platform,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  session: Pick<SignIn, 'tenantId' | 'userId' | 'sessionId' | 'authenticatedAt'>,
  requested: Requested,
): Promise<RequestedCredential> {
  const { template, issuanceId } = requested
  const now = needs.clock.now()
  const ask = { userId: session.userId, templateId: template.id, id: issuanceId }
  const found = await needs.store.single(tenant.id, (tx) => findPrepared(tx, ask, now))
  if (found === null) {
    const source = template.archivedAt === null ? template.definition.attributeSource : undefined
    if (source === undefined || issuanceId !== null) throw new Fault('credential.not_prepared')
    const made = { ...requested, issued: template, issuance: null }
    if (source.kind === 'webhook') return { ...made, attributes: null, lacksClaims: false }
    const attributes = await providerAttributes(needs, tenant, session, template, source)
    return { ...made, attributes, lacksClaims: attributes === null }
  }
  const place = { tenantId: tenant.id, table: 'issuance', column: 'sealed_claims', row: found.id }
  // Sealed by this server, from a JSON object.
  const claims = readOwnJson(await needs.sealing.open(place, found.sealedClaims)) as JsonObject
  const issued = await templateVersion(needs, tenant.id, template.id, found.templateVersion)
  return { ...requested, issued, issuance: { id: found.id, claims }, attributes: null, lacksClaims: false }
}
