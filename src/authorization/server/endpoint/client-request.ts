import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { checkDpop } from '../../access/check-dpop.ts'
import { authenticateClient } from '../clients/authenticate-client.ts'
import { readClientProof } from '../clients/client-proof.ts'
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
  return { client: await authenticateClient(platform, instance, readClientProof(headers, form), ip) }
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
