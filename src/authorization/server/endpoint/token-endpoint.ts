import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import { currentDpopNonce } from '../../access/check-dpop.ts'
import { attestationChallenge } from '../clients/check-attestation.ts'
import type { Grant } from '../instance.ts'
import { steps } from '../steps.ts'
import {
  type FoundCaller,
  findCaller,
  findSentCaller,
  type InstanceRequest,
  proveInstance,
  proveKey,
  requireKey,
} from './client-request.ts'

type Found = InstanceRequest & { readonly grant: Grant }
type Proven = Found & {
  readonly client: Client | null
  readonly jkt: string | null
  readonly instanceKey: string | null
}

/** The token endpoint of every instance. */
export const tokenSteps = steps<InstanceRequest>()
  .step('grant_type names a grant of the server (RFC 6749 5.2)', findGrant)
  .step(
    'the client authenticates, if the grant or the server needs it or it tries to (RFC 6749 3.2.1, RFC 7523 3)',
    (request): Promise<FoundCaller<Client | null>> =>
      request.grant.client === 'none' ? findSentCaller(request) : findCaller(request),
  )
  .step('the client may use the grant (RFC 6749 5.2)', checkClient)
  .step('resource and audience are ours (RFC 8707 2, RFC 8693 2.1)', checkTarget)
  .step('a DPoP proof is valid (RFC 9449 4.3 and 8)', (request) =>
    proveKey(request, request.client, request.instance.endpoints.token),
  )
  .step(
    'an attested client proves the key of its instance (RFC 6749 2.3, draft-ietf-oauth-attestation-based-client-auth 8)',
    proveInstance,
  )
  .step('a client that must bind its tokens proves a key (RFC 9449 5.2)', ({ client, jkt }) => requireKey(client, jkt))
  .step('the grant is valid, and brings its tokens', async (request) => ({ tokens: await issue(request) }))

/**
 * Answers a token request at an instance.
 *
 * @throws Fault `client.unauthenticated`, `client_attestation.*`, `client.unauthorized`, `grant.unsupported`,
 *   `grant.invalid`, `scope.invalid`, `target.invalid`, `request.invalid`, `dpop_proof.invalid`, `dpop_nonce.required`,
 *   `request.rate_limited`
 */
export async function answerTokenRequest(request: InstanceRequest): Promise<EndpointResponse> {
  const { tokens, jkt, instanceKey } = await tokenSteps.run(request)
  // RFC 6749 5.1: a token is never stored by a cache
  const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' }
  // draft-ietf-oauth-attestation-based-client-auth-10, 7.2: the challenge of the next proof
  const challenge = instanceKey === null ? null : await attestationChallenge(request.platform)
  const headers = { ...uncached, ...(challenge !== null && { 'oauth-client-attestation-challenge': challenge }) }
  if (jkt === null) return { status: 200, body: tokens, headers }
  // RFC 9449 8.2: the nonce of the next proof
  return { status: 200, body: tokens, headers: { ...headers, 'dpop-nonce': await currentDpopNonce(request.platform) } }
}

function findGrant({ instance: { grants }, form }: InstanceRequest): { readonly grant: Grant } {
  if (!form.grant_type) throw new Fault('request.invalid', { detail: 'grant_type is missing.' })
  const grant = grants.find(({ type }) => type === form.grant_type)
  if (grant !== undefined) return { grant }
  const detail = `grant_type is one of: ${grants.map(({ type }) => type).join(', ')}.`
  throw new Fault('grant.unsupported', { detail })
}

function checkClient({ client, grant }: Found & { readonly client: Client | null }): object {
  if (client === null || grant.client === 'none' || client.grantTypes.includes(grant.type)) return {}
  throw new Fault('client.unauthorized')
}

function checkTarget({ instance: { audiences }, form: { resource, audience } }: InstanceRequest): object {
  const named = [resource, audience].filter((one) => one !== undefined && one !== '')
  if (audiences === null || named.every((one) => audiences.includes(one?.replace(/\/$/, '') ?? ''))) return {}
  throw new Fault('target.invalid')
}

function issue({ grant, client, ...request }: Proven): Promise<object> {
  if (grant.client === 'none') return grant.issue(request.platform, { ...request, client: null })
  if (client === null) throw new Fault('client.unauthenticated')
  return grant.issue(request.platform, { ...request, client })
}
