import { readOwnJson } from '../../../crypto/json.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import { makeBearerSecret, readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { SealedPlace } from '../../../keys/sealing.ts'
import type { Platform } from '../../../platform.ts'
import type { Parameters } from '../../../protocols/oauth2/authorization-request.ts'
import type { ServerInstance } from '../instance.ts'
import { insertPushedRequest, openPushedRequest, type PushedKey } from './pushed-request-store.ts'

/** RFC 9126 2.2. */
const PREFIX = 'urn:ietf:params:oauth:request_uri:'
/** FAPI 2.0 Security Profile 5.3.2.2: less than 600 s. */
export const PUSHED_TTL_SECONDS = 60
/** How long the user may take to sign in and to consent. */
const OPENED_TTL_SECONDS = 1800

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock'>
type Server = Pick<ServerInstance, 'issuer'>

/**
 * Stores the parameters of an authorization request. Returns its `request_uri`.
 *
 * @param instanceKey Thumbprint of the key of the client instance; null: the client has no attestation.
 */
export async function pushRequest(
  needs: Needs,
  { issuer }: Server,
  client: Client,
  parameters: Parameters,
  instanceKey: string | null,
): Promise<string> {
  const { tenantId, clientId } = client
  const secret = makeBearerSecret(tenantId)
  const expiresAt = new Date(needs.clock.now().getTime() + PUSHED_TTL_SECONDS * 1000)
  const sealedParameters = await needs.sealing.seal(placeOf(client, secret), JSON.stringify(parameters))
  await needs.store.single(tenantId, (tx) =>
    insertPushedRequest(tx, { ...secret, clientId, issuer, sealedParameters, instanceKey, expiresAt }),
  )
  return PREFIX + secret.text
}

/** A pushed request that was opened: to be spent by the response to it. */
type PushedRequest = {
  readonly key: PushedKey
  readonly parameters: Parameters
  /** Thumbprint of the key of the client instance that pushed it; null: the client has no attestation. */
  readonly instanceKey: string | null
}

/** Whether a `request_uri` is one that {@link pushRequest} returns. */
export function isPushedUri(requestUri: string): boolean {
  return requestUri.startsWith(PREFIX)
}

/**
 * Returns the parameters of a pushed request of a client. Until it is spent it can be opened again, because the user
 * returns from the sign-in.
 *
 * @throws Fault `request_uri.invalid`
 */
export async function openRequestUri(
  needs: Needs,
  { issuer }: Server,
  client: Client,
  requestUri: string,
): Promise<PushedRequest> {
  const key = readBearerSecret(requestUri.slice(PREFIX.length))
  const now = needs.clock.now()
  const openUntil = new Date(now.getTime() + OPENED_TTL_SECONDS * 1000)
  const { tenantId, clientId } = client
  if (key === null || key.tenantId !== tenantId) throw new Fault('request_uri.invalid')
  const stored = await needs.store.single(tenantId, (tx) =>
    openPushedRequest(tx, { ...key, clientId, issuer }, { now, openUntil }),
  )
  if (stored === null) throw new Fault('request_uri.invalid')
  const parameters = readOwnJson(await needs.sealing.open(placeOf(client, key), stored.sealedParameters))
  // Sealed by this server.
  return { key, parameters: parameters as Parameters, instanceKey: stored.instanceKey }
}

function placeOf({ tenantId }: Client, { id }: Pick<PushedKey, 'id'>): SealedPlace {
  return { tenantId, table: 'pushed_request', column: 'sealed_parameters', row: id }
}
