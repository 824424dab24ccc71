import { holds } from '../../../caller.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import { findFamily } from '../grants/family-store.ts'
import { steps } from '../steps.ts'
import { findCaller, type InstanceRequest } from './client-request.ts'

type Known = InstanceRequest & { readonly client: Client; readonly token: string }

/** The introspection endpoint of every instance. */
export const introspectSteps = steps<InstanceRequest>()
  .step('the client authenticates (RFC 7662 2.1)', findCaller)
  .step('a client without credentials learns nothing (RFC 7662 4)', ({ client }) => {
    if (!client.isPublic) return {}
    throw new Fault('client.unauthenticated', { detail: 'Client authentication is needed.' })
  })
  .step('the request names a token (RFC 7662 2.1)', ({ form }) => {
    if (form.token) return { token: form.token }
    throw new Fault('request.invalid', { detail: 'token is missing.' })
  })

const INACTIVE = { active: false }

/**
 * Describes a token of the client itself, and to a client with `tokens:introspect` an access token of another client of
 * its tenant. Any other is inactive: a client that does not serve it learns neither whether it is valid nor whose it
 * is.
 *
 * @throws Fault `client.unauthenticated`, `request.invalid`
 * @see [RFC 7662, 2](https://www.rfc-editor.org/rfc/rfc7662#section-2)
 */
export async function answerIntrospection(request: InstanceRequest): Promise<EndpointResponse> {
  const known = await introspectSteps.run(request)
  const body = (await describeAccessToken(known)) ?? (await describeRefreshToken(known)) ?? INACTIVE
  return { status: 200, body, headers: { 'cache-control': 'no-store' } }
}

async function describeAccessToken({ platform, instance, client, token }: Known): Promise<object | null> {
  const found = await instance.readToken(platform, token)
  if (found === null || found.tenantId !== client.tenantId) return null
  const isOwn = found.claims.client_id === client.clientId
  if (!isOwn && !holds({ scopes: new Set(client.scopes) }, 'tokens:introspect')) return null
  return { active: true, iss: instance.issuer, ...found.claims }
}

async function describeRefreshToken({ platform, instance, client, token }: Known): Promise<object | null> {
  const secret = readBearerSecret(token)
  if (secret === null) return null
  const { issuer } = instance
  const key = { ...secret, issuer }
  const family = await platform.store.single(secret.tenantId, (tx) => findFamily(tx, key, platform.clock.now()))
  if (family === null || family.clientId !== client.clientId) return null
  const { userId, clientId, scopes, expiresAt } = family
  const exp = Math.floor(expiresAt.getTime() / 1000)
  return { active: true, iss: issuer, sub: userId, client_id: clientId, scope: scopes.join(' '), exp }
}
