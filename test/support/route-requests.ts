import assert from 'node:assert/strict'
import { examplePushSubscription } from '../../src/contract/wallet/push-subscriptions.ts'
import type { Route } from '../../src/http/routes/route.ts'
import type { Objects } from './main-job.ts'
import type { Api, Reply } from './server.ts'

/** An id that no object has. */
export const unknownId = '01890000-0000-7000-8000-000000000000'
/** Bodies that fit their schema, for the routes that must get past it to reach their object. */
const bodies: Readonly<Record<string, unknown>> = {
  'PUT /creds/templates/credentials/{id}': {
    name: 'Other',
    code: 'everything',
    attributes: { name: { type: 'string' } },
  },
  'PUT /creds/templates/presentations/{id}': {
    name: 'Other',
    description: '',
    credentials: [{ type: 'x', attributes: { a: {} } }],
  },
  'PUT /onboarding/users/{username}/external-identifier': { externalIdentifier: 'EXT-9' },
  'PUT /creds/trusted-entities/{id}': { name: 'Other' },
  'POST /creds/certificates/csrs/{id}/import': { certificate: 'none' },
  'POST /creds/certificates/{id}/sign': { csrId: unknownId },
  'POST /wallet/v2/credentials': { credentialOffer: 'none' },
  'POST /wallet/v2/credential-offers/resolve': { credentialOffer: 'none' },
  'POST /wallet/v2/issuance-sessions': { credentialOffer: 'none' },
  'POST /wallet/v2/presentations': { presentationRequest: 'none' },
  'POST /wallet/v2/presentations/{id}/confirmation': {},
  'POST /wallet/v2/push-subscriptions': examplePushSubscription,
  'POST /wallet/v2/shared-links': { credentialId: unknownId, claims: [], recipient: 'Globex', purpose: 'A job' },
  'POST /wallet/v2/shared-links/{id}/document': { address: 'none' },
  'PATCH /wallet/credentials/{id}/status': { status: 'rejected' },
  'PATCH /wallet/v2/credentials/{id}': { status: 'rejected' },
  'PATCH /wallet/v2/presentations/{id}': { status: 'rejected' },
}

/** Method and path of a route, as they are written. */
export function nameOf({ method, group, path }: Pick<Route, 'method' | 'group' | 'path'>): string {
  return `${method} /${group}${path}`
}

/** Whether a route is about the wallet of its caller. What stands in the wallet group for organisations is not. */
export function isPersonal({ group, path }: Route): boolean {
  return group === 'wallet' && !path.includes('/orgs/')
}

/** Whether a route is about all tenants: for the operator of the platform. */
export function isOfPlatform({ scope }: Pick<Route, 'scope'>): boolean {
  return scope === 'platform:admin'
}

/**
 * The id of an object of acme that the route could be about. A new route with an id needs an entry in `makeEverything`.
 */
export function knownIdFor(objects: Objects, { group, path }: Route): string {
  const collection = `/${group}${path.slice(0, path.indexOf('/{'))}`
  const id = objects[collection]
  assert(id !== undefined, `makeEverything makes nothing for ${collection}`)
  return id
}

/** The path of a route with an id for its first parameter. */
export function pathOf({ group, path }: Route, id: string): string {
  return `/${group}${path.replace(/\{[^}]+\}/, id).replaceAll(/\{[^}]+\}/g, unknownId)}`
}

/** Sends a request to a route, with a body that fits it where there is one in the table. */
export function ask(caller: Api, route: Route, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  if (route.body === undefined) return caller.send(route.method, path, undefined, headers)
  const body = JSON.stringify(bodies[nameOf(route)] ?? {})
  return caller.send(route.method, path, body, { 'content-type': 'application/json', ...headers })
}
