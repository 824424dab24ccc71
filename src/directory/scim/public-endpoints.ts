import { type TSchema, Type } from 'typebox'
import type { Scope } from '../../caller.ts'
import { isJsonObject, type Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../http/routes/endpoint.ts'
import { readListRequest, readProjection, readSearch } from '../../protocols/scim/list-request.ts'
import type { Resource } from '../../protocols/scim/patch.ts'
import { project } from '../../protocols/scim/project.ts'
import { runBulk } from './bulk.ts'
import { resourceTypes, schemaResources, serviceConfiguration } from './discovery.ts'
import { groupOperations, type Operations, type ScimRequest, userOperations } from './operations.ts'
import { provisioningCaller } from './provisioning-caller.ts'
import { readVersionTag } from './scim-user.ts'
import { BulkReplyShape, BulkShape, PatchShape, resourceShapes, type ScimNoun, SearchShape } from './shapes.ts'

const BASE = '/onboarding/scim/v2'
const TYPE = 'application/scim+json'

const open = Type.Record(Type.String(), Type.Unknown())
const schemas = Type.Array(Type.String({ description: 'Ids of the schemas of the message, of RFC 7643 or 7644.' }))
const list = { totalResults: Type.Optional(Type.Integer()), Resources: Type.Optional(Type.Array(open)) }

/** @see [RFC 7644, 3.4.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2) */
const ListReply = Type.Object({ schemas, ...list }, { $id: 'ScimList' })
/** What the service tells of itself. */
const ResourceReply = Type.Object({ schemas, id: Type.Optional(Type.String()) }, { $id: 'ScimResource' })

/** Bodies, which are validated with SCIM errors, and replies of an operation, for the reference. */
type Described = Pick<Endpoint, 'describedBody' | 'hidden'> & { readonly reply?: TSchema }

function repliesOf(
  method: Endpoint['method'],
  operationId: string,
  reply: TSchema | undefined,
): NonNullable<Endpoint['replies']> {
  if (method === 'DELETE') return { 204: {} }
  const shape = reply ?? (operationId.startsWith('list') ? ListReply : ResourceReply)
  return { [operationId.startsWith('create') ? 201 : 200]: { types: { [TYPE]: shape } } }
}

type Handle = (work: ScimRequest, context: EndpointContext) => Promise<EndpointResponse> | EndpointResponse

function at(
  method: Endpoint['method'],
  path: string,
  operationId: string,
  summary: string,
  handle: Handle,
  { reply, ...described }: Described = {},
  scope: Scope = method === 'GET' ? 'users:read' : 'users:write',
): Endpoint {
  return endpoint({
    method,
    path: `${BASE}${path}`,
    operationId,
    replies: repliesOf(method, operationId, reply),
    summary,
    tag: 'SCIM',
    accepts: method === 'GET' || method === 'DELETE' ? 'none' : 'json',
    faultsAs: 'scim',
    needsToken: true,
    unreadable: 'scim.invalid_syntax',
    ...described,
    ...((method === 'PUT' || method === 'PATCH' || method === 'DELETE') && { ifMatch: true }),
    callerOf: (request) => provisioningCaller(request.platform, request, scope),
    handle: (context) => {
      const { platform, caller } = context
      if (caller === null) throw new Fault('token.missing')
      return handle({ platform, caller, base: `${platform.urls.publicUrl}${BASE}` }, context)
    },
  })
}

function resourceEndpoints(path: string, noun: ScimNoun, run: Operations): readonly Endpoint[] {
  const { Body, Reply, List } = resourceShapes[noun]
  const name = noun.charAt(0).toUpperCase() + noun.slice(1)
  const shown = (resource: Resource, { query }: EndpointContext, status = 200) => {
    const { location, version } = metaOf(resource)
    const headers = { etag: version, ...(status === 201 && { location }) }
    return sent(project(resource, readProjection(query)), status, headers)
  }
  return [
    at(
      'GET',
      path,
      `listScim${name}s`,
      `Lists the ${noun}s that match a filter.`,
      async (work, { query }) => sent(await run.list(work, readListRequest(query))),
      { reply: List },
    ),
    at(
      'POST',
      `${path}/.search`,
      `searchScim${name}s`,
      `Lists the ${noun}s that match a filter in the body.`,
      async (work, { body }) => sent(await run.list(work, readSearch(json(body)))),
      { describedBody: SearchShape, reply: List },
      'users:read',
    ),
    at(
      'POST',
      path,
      `createScim${name}`,
      `Creates a ${noun}.`,
      async (work, context) => shown(await run.create(work, json(context.body)), context, 201),
      { describedBody: Body, reply: Reply },
    ),
    at(
      'GET',
      `${path}/{id}`,
      `getScim${name}`,
      `Returns a ${noun}.`,
      async (work, context) => shown(await run.get(work, idOf(context)), context),
      { reply: Reply },
    ),
    at(
      'PUT',
      `${path}/{id}`,
      `replaceScim${name}`,
      `Replaces a ${noun}.`,
      async (work, context) =>
        shown(await run.replace(work, idOf(context), json(context.body), expectedVersion(context)), context),
      { describedBody: Body, reply: Reply },
    ),
    at(
      'PATCH',
      `${path}/{id}`,
      `updateScim${name}`,
      `Changes attributes of a ${noun}.`,
      async (work, context) =>
        shown(await run.patch(work, idOf(context), json(context.body), expectedVersion(context)), context),
      { describedBody: PatchShape, reply: Reply },
    ),
    at('DELETE', `${path}/{id}`, `deleteScim${name}`, `Deletes a ${noun}.`, async (work, context) => {
      await run.remove(work, idOf(context), expectedVersion(context))
      return { status: 204 }
    }),
  ]
}

function idOf({ params }: EndpointContext): string {
  return params.id ?? ''
}

/**
 * The version that If-Match names; undefined if the request applies to every version.
 *
 * @throws Fault `resource.changed`
 */
function expectedVersion({ headers }: EndpointContext): number | undefined {
  const tag = headers['if-match']?.trim()
  return tag === undefined || tag === '' || tag === '*' ? undefined : readVersionTag(tag)
}

function metaOf({ meta }: Resource): { location: string; version: string } {
  if (!isJsonObject(meta) || typeof meta.location !== 'string' || typeof meta.version !== 'string') {
    throw new Error('a resource was made without meta')
  }
  return { location: meta.location, version: meta.version }
}

function sent(body: Resource, status = 200, headers: Readonly<Record<string, string>> = {}): EndpointResponse {
  return { status, type: TYPE, body: JSON.stringify(body), headers: { 'cache-control': 'no-store', ...headers } }
}

function listed(resources: readonly Resource[], query: EndpointContext['query']): EndpointResponse {
  // RFC 7644 4: discovery is not filtered
  if (query.filter !== undefined) throw new Fault('scope.missing', { detail: 'Discovery endpoints take no filter.' })
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  return sent({
    schemas,
    totalResults: resources.length,
    itemsPerPage: resources.length,
    startIndex: 1,
    Resources: [...resources],
  })
}

function one(resources: readonly Resource[], id: string | undefined): EndpointResponse {
  const found = resources.find((resource) => resource.id === id || resource.name === id)
  if (found === undefined) throw new Fault('resource.unknown')
  return sent(found)
}

/** The body was parsed as JSON by the server. */
function json(body: unknown): Json {
  return body as Json
}

const endpoints: readonly Endpoint[] = [
  ...resourceEndpoints('/Users', 'user', userOperations),
  ...resourceEndpoints('/Groups', 'group', groupOperations),
  at(
    'POST',
    '/Bulk',
    'runScimBulk',
    'Runs up to 1,000 operations in turn, each by itself.',
    async (work, { body }) => sent(await runBulk(work, json(body))),
    { describedBody: BulkShape, reply: BulkReplyShape },
  ),
  at(
    'POST',
    '/.search',
    'searchScim',
    'Refuses a search over all kinds of resources, which the service does not support.',
    () => {
      throw new Fault('scim.not_implemented', { detail: 'Search at /Users/.search or /Groups/.search.' })
    },
    // A client needs no operation that is always refused.
    { hidden: true },
    'users:read',
  ),
  at('GET', '/ServiceProviderConfig', 'getScimConfiguration', 'Returns what the service supports.', ({ base }) =>
    sent(serviceConfiguration(base)),
  ),
  at('GET', '/ResourceTypes', 'listScimResourceTypes', 'Lists the kinds of resources.', ({ base }, { query }) =>
    listed(resourceTypes(base), query),
  ),
  at('GET', '/ResourceTypes/{id}', 'getScimResourceType', 'Returns a kind of resource.', ({ base }, { params }) =>
    one(resourceTypes(base), params.id),
  ),
  at('GET', '/Schemas', 'listScimSchemas', 'Lists the schemas with all attributes.', ({ base }, { query }) =>
    listed(schemaResources(base), query),
  ),
  at('GET', '/Schemas/{id}', 'getScimSchema', 'Returns a schema.', ({ base }, { params }) =>
    one(schemaResources(base), params.id),
  ),
]

/**
 * SCIM 2.0: users and groups, provisioned by an identity system. Each path is also one with a slash at its end, which
 * clients send.
 *
 * @see [RFC 7644](https://www.rfc-editor.org/rfc/rfc7644)
 */
export const scimEndpoints: readonly Endpoint[] = endpoints.flatMap((one) => [
  one,
  { ...one, path: `${one.path}/`, operationId: `${one.operationId}Slash`, hidden: true },
])
