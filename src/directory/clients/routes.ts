import { routeGroup } from '../../api/route-group.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import { addressMistakes } from './check-client.ts'
import type { ClientRecord } from './client-record.ts'
import {
  changeClient,
  createClient,
  deleteClient,
  getClient,
  recreateClient,
  removeClientSecret,
  rotateClientSecret,
} from './manage-clients.ts'
import { listManagedClients } from './managed-client-store.ts'
import {
  ClientBody,
  ClientChangeBody,
  ClientListQuery,
  ClientReply,
  ClientSecretBody,
  givenMembers,
  showClient,
  showWithSecret,
} from './schemas.ts'

const common = { group: 'onboarding', tag: 'applications', scope: 'tenant:admin', status: 200 } as const
const ofClient = { ...common, path: '/clients/{clientId}', reply: ClientReply } as const

const listRoute = routeGroup({ ...common, path: '/clients', reply: ClientReply }).list('', {
  summary: 'Lists the clients of the tenant: services and applications.',
  query: ClientListQuery,
  read: ({ platform: { store, clock }, caller }, list) =>
    store.single(caller.tenantId, (tx) => listManagedClients(tx, list, clock.now())),
  show: showClient,
})

const createRoute = route({
  ...common,
  method: 'POST',
  path: '/clients',
  summary:
    'Creates a client. Only this response contains its secret; a public client, and one with keys, has none. A caller gives only scopes and roles that it holds.',
  body: ClientBody,
  // Without a kind that is known, what one of them may have is right.
  rules: (accepted) => addressMistakes(accepted, accepted.isPublic ?? true),
  status: 201,
  reply: ClientReply,
  faults: ['role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => recreateClient(platform, caller, id)
    return answer(
      showWithSecret(await once(operation, find, (id) => createClient(platform, caller, givenMembers(body), id))),
    )
  },
})

const getRoute = route({
  ...ofClient,
  method: 'GET',
  summary: 'Reads a client.',
  replyHeaders: ['ETag'],
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => tagged(await getClient(platform, caller, params.clientId)),
})

const changeRoute = route({
  ...ofClient,
  method: 'PATCH',
  summary:
    'Changes the members of a client that the body names. A client of the bootstrap file gets its members back when ' +
    'the file is applied again.',
  body: ClientChangeBody,
  rules: (accepted) => addressMistakes(accepted, true),
  ifMatch: true,
  replyHeaders: ['ETag'],
  faults: ['resource.unknown', 'resource.changed', 'role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: ClientRecord) => isSame(ifMatch, tagOf(now))
    return tagged(await changeClient(platform, caller, params.clientId, givenMembers(body), isExpected))
  },
})

function tagged(client: ClientRecord) {
  return answer(showClient(client), { headers: { etag: tagOf(client) } })
}

/** Of what an organisation decides about a client: its secrets and its use change without it. */
function tagOf({ id, updatedAt }: ClientRecord): string {
  return entityTagOf(`${id} ${updatedAt.toISOString()}`)
}

const deleteRoute = route({
  ...common,
  method: 'DELETE',
  path: '/clients/{clientId}',
  summary: 'Deletes a client with its secrets. Its access tokens expire within five minutes.',
  status: 204,
  faults: ['resource.unknown', 'role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, params }) => {
    await deleteClient(platform, caller, params.clientId)
    return answer(undefined)
  },
})

const rotateRoute = route({
  ...ofClient,
  method: 'POST',
  path: '/clients/{clientId}/secrets',
  operationId: 'createClientSecret',
  summary:
    'Adds a secret, shown in this response only. The former one stays valid for a time; at most two are valid at once.',
  body: ClientSecretBody,
  status: 201,
  faults: ['resource.unknown', 'role.above_caller', 'state.invalid'],
  handle: async ({ platform, caller, params, body }) =>
    answer(showWithSecret(await rotateClientSecret(platform, caller, params.clientId, body.overlapSeconds))),
})

const endSecretRoute = route({
  ...common,
  method: 'DELETE',
  path: '/clients/{clientId}/secrets/{id}',
  operationId: 'deleteClientSecret',
  summary: 'Ends a secret at once, also one of the bootstrap file.',
  status: 204,
  faults: ['resource.unknown', 'role.above_caller'],
  handle: async ({ platform, caller, params }) => {
    await removeClientSecret(platform, caller, params.clientId, knownId(params.id))
    return answer(undefined)
  },
})

/** Clients, in our API. */
export const clientRoutes: readonly Route[] = [
  ...[listRoute, createRoute, getRoute, changeRoute, deleteRoute],
  ...[rotateRoute, endSecretRoute],
]
