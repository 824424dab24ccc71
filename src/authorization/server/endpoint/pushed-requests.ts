import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import {
  type Parameters,
  presentParameters,
  readAuthorizationRequest,
} from '../../../protocols/oauth2/authorization-request.ts'
import { requestRulesOf } from '../instance.ts'
import { PUSHED_TTL_SECONDS, pushRequest } from '../request/push-request.ts'
import { redirectUriOf } from '../request/trust-request.ts'
import { steps } from '../steps.ts'
import { findCaller, type InstanceRequest, proveInstance, proveKey } from './client-request.ts'

type Known = InstanceRequest & { readonly client: Client }

/** The pushed authorization request endpoint of every instance. */
export const pushSteps = steps<InstanceRequest>()
  .step('the client authenticates (RFC 9126 2)', findCaller)
  .step('a client that does not authenticate stores a bounded number (RFC 9126 7.2)', limitUnproven)
  .step('a DPoP proof is valid (RFC 9449 10.1)', (request) =>
    proveKey(request, request.client, request.instance.endpoints.pushedRequest ?? ''),
  )
  .step(
    'an attested client proves the key of its instance (RFC 6749 2.3, draft-ietf-oauth-attestation-based-client-auth 8)',
    proveInstance,
  )
  .step('request_uri is not among the parameters, and client_id is that of the client (RFC 9126 2.1)', readParameters)
  .step('the client may use the code flow (RFC 6749 4.1.2.1)', ({ client }) => {
    if (client.grantTypes.includes('authorization_code')) return {}
    throw new Fault('client.unauthorized')
  })
  .step('redirect_uri is one of the client (RFC 9126 2.1)', ({ instance, client, parameters }) => ({
    redirectUri: redirectUriOf(instance, client, parameters),
  }))
  .step('the request is one that the authorization endpoint accepts (RFC 9126 2.1)', async (known) => {
    const { platform, parameters, client, instance } = known
    const { users } = instance
    const request = readAuthorizationRequest(parameters, requestRulesOf(instance, client))
    await users?.check?.(platform, request, parameters)
    return { request }
  })
  .step('dpop_jkt and the key of the proof are the same (RFC 9449 10.1)', ({ request: { dpopJkt }, jkt }) => {
    if (dpopJkt === null || jkt === null || dpopJkt === jkt) return {}
    throw new Fault('dpop_proof.invalid', { detail: 'dpop_jkt is not the thumbprint of the key of the proof.' })
  })

/**
 * Stores an authorization request.
 *
 * @throws Fault as the token endpoint, and those of the parameters
 * @see [RFC 9126, 2](https://www.rfc-editor.org/rfc/rfc9126#section-2)
 */
export async function answerPushedRequest(request: InstanceRequest): Promise<EndpointResponse> {
  const { platform, instance, client, parameters, jkt, instanceKey } = await pushSteps.run(request)
  const stored = jkt === null ? parameters : { ...parameters, dpop_jkt: jkt }
  const requestUri = await pushRequest(platform, instance, client, stored, instanceKey)
  const body = { request_uri: requestUri, expires_in: PUSHED_TTL_SECONDS }
  return { status: 201, body, headers: { 'cache-control': 'no-store' } }
}

/** [SEC-74] @throws Fault `request.rate_limited` */
function limitUnproven({ platform: { rateLimiter, clock }, client, ip }: Known): object {
  if (!client.isPublic) return {}
  rateLimiter.admitAddress('authorization.pushed_requests', ip, clock.now())
  rateLimiter.countAddress('authorization.pushed_requests', ip, clock.now())
  return {}
}

/** Credentials of the client are not stored. */
function readParameters({ form, client }: Known): { readonly parameters: Parameters } {
  if (form.request_uri) throw new Fault('request.invalid', { detail: 'request_uri is not allowed here.' })
  if (form.client_id && form.client_id !== client.clientId)
    throw new Fault('request.invalid', { detail: 'client_id names another client.' })
  const { client_secret: _, client_assertion: __, client_assertion_type: ___, ...parameters } = form
  return { parameters: presentParameters({ ...parameters, client_id: client.clientId }) }
}
