import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { browserParameters, exchangeProtocols, signForMany } from '../../protocols/openid4vp/digital-credentials.ts'
import { signRequestObject } from '../../protocols/openid4vp/request-object.ts'
import { signerOf } from '../requests/choose-signer.ts'
import type { DigitalCredentialsOptions, PendingRequest } from '../requests/presentation-request.ts'
import { addressesOf, UNSIGNED_CLIENT } from '../requests/request-addresses.ts'
import { responseKeyOf } from '../requests/response-key.ts'
import { openRequestOf, transactionsOf } from '../requests/serve-request-object.ts'
import { issuerAuthoritiesOf } from '../templates/issuer-authorities.ts'
import { formatsOf, queryOf, verifierInfoOf } from '../templates/template-query.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'keys' | 'urls' | 'config' | 'memory'>
type Protocol = DigitalCredentialsOptions['protocols'][number]

/** One way to make a request, as `navigator.credentials.get` takes it. */
type BrowserRequest = { readonly protocol: (typeof exchangeProtocols)[Protocol]; readonly data: object }

/**
 * Returns an open request in every kind that it was created for, for the Digital Credentials API. All have the same
 * nonce; one answer is accepted.
 *
 * @throws Fault `resource.unknown` (also if it is not for browsers), `presentation_request.closed`
 * @see [OpenID4VP 1.0, A.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-A.3)
 */
export async function buildBrowserRequests(
  platform: Needs,
  tenant: Tenant,
  token: string,
): Promise<readonly BrowserRequest[]> {
  const request = await openRequestOf(platform, tenant.id, token)
  const protocols = protocolsOf(request)
  return Promise.all(
    protocols.map(async (one) => ({
      protocol: exchangeProtocols[one],
      data: await dataOf(platform, tenant, { request, token }, one),
    })),
  )
}

/**
 * Returns the origins whose answers are accepted: those of the request, and that of the page of this server.
 *
 * @throws Fault `resource.unknown`
 */
export function originsOf({ urls }: Pick<Platform, 'urls'>, { digitalCredentials }: PendingRequest): readonly string[] {
  if (digitalCredentials === null) throw new Fault('resource.unknown')
  return [...new Set([...digitalCredentials.origins, new URL(urls.publicUrl).origin])]
}

/** A client with the prefix `redirect_uri` never signs (OpenID4VP 1.0, 5.9.3). */
function protocolsOf({ digitalCredentials, clientId }: PendingRequest): readonly Protocol[] {
  if (digitalCredentials === null) throw new Fault('resource.unknown')
  return clientId === UNSIGNED_CLIENT ? ['unsigned'] : digitalCredentials.protocols
}

type Opened = { readonly request: PendingRequest; readonly token: string }

async function dataOf(
  platform: Needs,
  tenant: Tenant,
  { request, token }: Opened,
  protocol: Protocol,
): Promise<object> {
  const { urls } = platform
  const { nonce, verifierConfig, clientId: stored } = request
  const { requiresCertifiedRequests, requiresEncryptedResponses } = policyOf(tenant).presenting
  const isEncrypted = verifierConfig?.responseMode !== 'direct_post' || requiresEncryptedResponses
  const key = isEncrypted ? { encryptionKey: (await responseKeyOf(platform, tenant.id, request.id)).publicJwk } : {}
  const transactions = await transactionsOf(platform, tenant.id, request)
  const dcqlQuery = queryOf(request, await issuerAuthoritiesOf(platform, tenant.id, request.credentials))
  const parameters = browserParameters({ nonce, dcqlQuery, ...transactions, ...key }, formatsOf(request))
  const verifierInfo = verifierInfoOf(request)
  const info = verifierInfo === undefined ? {} : { verifier_info: verifierInfo }
  // [VP-D3] no client_id, and expected_origins would be ignored
  if (protocol === 'unsigned') return { ...parameters, ...info }
  const payload = { ...parameters, expected_origins: originsOf(platform, request) }
  const { clientId } = addressesOf(urls, tenant.slug, token, stored)
  const signer = await signerOf(platform, tenant, request)
  if (protocol === 'signed')
    return { request: await signRequestObject({ client_id: clientId, ...payload, ...info }, signer.header, signer.key) }
  const own = { clientId: addressesOf(urls, tenant.slug, token, null).clientId, isOther: stored !== null }
  const signers = [
    { ...signer, clientId },
    // Besides its certificate the tenant signs as its did:web.
    ...(own.isOther && !requiresCertifiedRequests
      ? [
          {
            ...(await signerOf(platform, tenant, { ...request, signerId: null, clientId: null })),
            clientId: own.clientId,
          },
        ]
      : []),
  ]
  const described = signers.map((one) => ({ ...one, ...(verifierInfo !== undefined && { verifierInfo }) }))
  return { request: await signForMany(payload, described) }
}
