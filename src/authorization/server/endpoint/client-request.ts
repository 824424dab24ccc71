import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { checkDpop } from '../../access/check-dpop.ts'
import { authenticateClient } from '../clients/authenticate-client.ts'
import { type AttestedClient, checkAttestation, isAttested } from '../clients/check-attestation.ts'
import { type ClientProof, readClientProof } from '../clients/client-proof.ts'
import type { ClientMethod, ServerInstance } from '../instance.ts'
import type { ClientRequest } from '../token-request.ts'

/** A request of a client at an endpoint of an instance. */
export type InstanceRequest = ClientRequest & { readonly platform: Platform; readonly instance: ServerInstance }

/** The client of a request, and what its attestation proved; null: it authenticated otherwise. */
export type FoundCaller<C = Client> = { readonly client: C; readonly attested: AttestedClient | null }

/**
 * Authenticates the client of a request.
 *
 * @throws Fault `client.unauthenticated`, `client_attestation.*`, `request.invalid`, `request.rate_limited`
 */
export async function findCaller(request: InstanceRequest): Promise<FoundCaller> {
  const { platform, instance, headers, form, ip } = request
  const byAttestation = await attestedCaller(request)
  if (byAttestation !== null) return byAttestation
  const proof = readClientProof(headers, form)
  const { methods } = instance.clients
  if (!methodsOf(proof).some((one) => methods.includes(one))) {
    throw new Fault('client.unauthenticated', { detail: `Clients authenticate by: ${methods.join(', ')}.` })
  }
  return { client: await authenticateClient(platform, instance, proof, ip), attested: null }
}

/**
 * Authenticates the client of a request for a grant that needs none, if the server requires it, or if the request
 * carries an authentication: one that is sent is always verified. @throws Fault as {@link findCaller}
 */
export async function findSentCaller(request: InstanceRequest): Promise<FoundCaller<Client | null>> {
  const { headers, form, instance } = request
  const { client_secret: secret, client_assertion: assertion, client_assertion_type: type } = form
  const isSent = [headers.authorization, secret, assertion, type].some((one) => one !== undefined && one !== '')
  if (isSent || instance.clients.isRequired === true) return findCaller(request)
  return (await attestedCaller(request)) ?? { client: null, attested: null }
}

/** The methods of the metadata that a proof may be. */
function methodsOf({ method }: ClientProof): readonly ClientMethod[] {
  if (method === 'secret') return ['client_secret_basic', 'client_secret_post']
  return method === 'assertion' ? ['private_key_jwt'] : ['none']
}

/** @returns null: the request has no client attestation, or the server does not use them */
async function attestedCaller(request: InstanceRequest): Promise<FoundCaller | null> {
  const { platform, instance, headers, form, ip } = request
  const { attestations } = instance.clients
  if (attestations === undefined || !isAttested(headers)) return null
  if (headers.authorization !== undefined || form.client_secret || form.client_assertion) {
    // RFC 6749 2.3: a client uses no more than one method in a request
    throw new Fault('request.invalid', { detail: 'Use one method of client authentication, not several.' })
  }
  const { tenantId, issuer: audience } = instance
  const { needsChain, needsChallenge } = attestations
  const receiver = { tenantId, audience, needsChain, needsChallenge }
  const attested = await checkAttestation(platform, receiver, { headers, ip })
  if (attested === null) return null
  // Draft 10, 8.1: client_id is optional, but must name the same client
  if (form.client_id && form.client_id !== attested.clientId) {
    throw new Fault('client_attestation.invalid', { detail: 'client_id names another client than the attestation.' })
  }
  return { client: await attestations.find(attested.clientId), attested }
}

/**
 * Requires the DPoP proof to be of the attested key where it is the proof of possession.
 *
 * @throws Fault `client_attestation.invalid`
 */
export function proveInstance({ attested, jkt }: Pick<FoundCaller, 'attested'> & { readonly jkt: string | null }): {
  readonly instanceKey: string | null
} {
  if (attested === null) return { instanceKey: null }
  // Draft 10, 8.3
  if (!attested.isProven && attested.jkt !== jkt) {
    throw new Fault('client_attestation.invalid', { detail: 'The DPoP proof is not of the attested key.' })
  }
  return { instanceKey: attested.jkt }
}

/**
 * Verifies the DPoP proof of a request, if it has one. Returns the thumbprint of its key.
 *
 * @param url Address of the endpoint.
 * @throws Fault `dpop_proof.invalid`, also if the client must prove a key and does not; `dpop_nonce.required`
 * @see [RFC 9449, 5](https://www.rfc-editor.org/rfc/rfc9449#section-5)
 */
export async function proveKey(
  { platform, instance, headers }: InstanceRequest,
  client: Client | null,
  url: string,
): Promise<{ readonly jkt: string | null }> {
  const { dpop: proof } = headers
  if (!instance.acceptsDpop) return { jkt: null }
  if (typeof proof === 'string') {
    const tenantId = client?.tenantId ?? instance.tenantId
    return { jkt: await checkDpop(platform, tenantId, { proof, method: 'POST', url }) }
  }
  return { jkt: null }
}

/** RFC 9449 5.2: a client whose tokens must be bound to a key proves one. @throws Fault `dpop_proof.invalid` */
export function requireKey(client: Client | null, jkt: string | null): object {
  if (client?.dpopRequired !== true || jkt !== null) return {}
  throw new Fault('dpop_proof.invalid', { detail: 'The client must send a DPoP proof.' })
}
