import { getTenant } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { buildPlainLink } from '../../protocols/openid4vp/request-link.ts'
import type { PresentationRequest } from './presentation-request.ts'
import { addressesOf, type RequestAddresses, UNSIGNED_CLIENT } from './request-addresses.ts'
import { findPendingRequest } from './request-store.ts'
import { type RequestNeeds, requestParameters } from './serve-request-object.ts'

/** The addresses of a request for wallets and pages. */
export type RequestLinks = RequestAddresses & {
  /** The request by reference, where `authorizationRequestUri` has it by value. */
  readonly authorizationRequestReferenceUri?: string
}

/**
 * Returns the addresses of a request. Those of an open request that is not signed have it by value: a request object
 * without signature is read by few wallets. One statement more then.
 *
 * @param token See `requestTokenOf`.
 */
export async function linksOf(
  platform: RequestNeeds,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  token: string,
  { id, status, clientId, scheme }: Pick<PresentationRequest, 'id' | 'status' | 'clientId' | 'scheme'>,
): Promise<RequestLinks> {
  const addresses = addressesOf(platform.urls, tenant.slug, token, clientId, scheme ?? undefined)
  if (clientId !== UNSIGNED_CLIENT || status !== 'requested') return addresses
  const pending = await platform.store.single(tenant.id, (tx) => findPendingRequest(tx, id, platform.clock.now()))
  if (pending === null) return addresses
  const whole = await getTenant(platform, tenant.slug)
  const link = buildPlainLink(await requestParameters(platform, whole, token, pending), scheme ?? undefined)
  const { authorizationRequestUri, requestUri } = addresses
  return {
    ...addresses,
    authorizationRequestUri: link,
    authorizationRequestReferenceUri: authorizationRequestUri,
    authorizationRequestQrUri: `${requestUri}/qr${link.slice(link.indexOf('?'))}`,
  }
}
