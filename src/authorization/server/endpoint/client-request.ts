import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { checkDpop } from '../../access/check-dpop.ts'
import { authenticateClient } from '../clients/authenticate-client.ts'
import { type ClientProof, readClientProof } from '../clients/client-proof.ts'
import type { ServerInstance } from '../instance.ts'
import type { ClientRequest } from '../token-request.ts'

/** A request of a client at an endpoint of an instance. */
export type InstanceRequest = ClientRequest & { readonly platform: Platform; readonly instance: ServerInstance }

/** Authenticates the client of a request. @throws Fault `client.unauthenticated`, `request.invalid`, `request.rate_limited` */
export async function findCaller({
  platform,
  instance,
  headers,
  form,
  ip,
}: InstanceRequest): Promise<{ readonly client: Client }> {
  const proof = readClientProof(headers, form)
  const isOffered = methodsOf(proof).some((one) => instance.clients.methods.includes(one))
  if (!isOffered) throw new Fault('client.unauthenticated', { detail: OFFERED(instance) })
  return { client: await authenticateClient(platform, instance, proof, ip) }
}

/**
 * Authenticates the client of a request for a grant that needs none, if the request carries an authentication: one that is sent is always
 * verified. @throws Fault as {@link findCaller}
 */
export async function findSentCaller(request: InstanceRequest): Promise<{ readonly client: Client | null }> {
  const { headers, form } = request
  const { client_secret: secret, client_assertion: assertion, client_assertion_type: type } = form
  const isSent = [headers.authorization, secret, assertion, type].some((one) => one !== undefined && one !== '')
  return isSent ? findCaller(request) : { client: null }
}

const OFFERED = ({ clients }: ServerInstance) => `Clients authenticate by: ${clients.methods.join(', ')}.`

/** The methods of the metadata that a proof may be. */
function methodsOf({ method }: ClientProof): readonly ServerInstance['clients']['methods'][number][] {
  if (method === 'secret') return ['client_secret_basic', 'client_secret_post']
  return method === 'assertion' ? ['private_key_jwt'] : ['none']
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
