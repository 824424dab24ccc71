import type { UserRef } from '../../authorization/server/instance.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { AuthorizationRequest, Parameters } from '../../protocols/oauth2/authorization-request.ts'
import { readCredentialDetails } from '../../protocols/openid4vci/authorization-details.ts'
import { readOfferToken } from '../offers/offer-codes.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { findByCodes } from '../templates/template-store.ts'
import { findPrepared } from './prepared-store.ts'

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
export type Target = Requested & {
  /** The version that is issued. */
  readonly issued: CredentialTemplate
  /** null: an issuance is made when the user agrees. */
  readonly issuance: { readonly id: string; readonly claims: JsonObject } | null
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
  const found = await needs.store.single(tenant.id, (tx) => findByCodes(tx, named))
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
 * Returns what a signed-in user would get: an issuance that the organisation prepared for them, the one of `issuer_state` where the request
 * names it; else, if the template has a source of attributes, a new one. [VCI-A4]
 *
 * @throws Fault `credential.not_prepared`
 */
export async function findTarget(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  { userId }: UserRef,
  requested: Requested,
): Promise<Target> {
  const { template, issuanceId } = requested
  const now = needs.clock.now()
  const ask = { userId, templateId: template.id, id: issuanceId }
  const found = await needs.store.single(tenant.id, (tx) => findPrepared(tx, ask, now))
  if (found === null) {
    const hasSource = template.definition.attributeSource !== undefined && template.archivedAt === null
    if (!hasSource || issuanceId !== null) throw new Fault('credential.not_prepared')
    return { ...requested, issued: template, issuance: null }
  }
  const place = { tenantId: tenant.id, table: 'issuance', column: 'sealed_claims', row: found.id }
  // Sealed by this server, from a JSON object.
  const claims = readOwnJson(await needs.sealing.open(place, found.sealedClaims)) as JsonObject
  const issued = await templateVersion(needs, tenant.id, template.id, found.templateVersion)
  return { ...requested, issued, issuance: { id: found.id, claims } }
}
