import { serveList } from '../../api/serve-list.ts'
import { clients } from '../../contract/directory/clients.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
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
import { givenMembers, showClient, showCreated } from './show-client.ts'

const listRoute = serveList(clients.list, {
  read: ({ platform: { store, clock }, caller }, list) =>
    store.single(caller.tenantId, (tx) => listManagedClients(tx, list, clock.now())),
  show: showClient,
})

const createRoute = serve(
  clients.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => recreateClient(platform, caller, id)
    return answer(
      showCreated(await once(operation, find, (id) => createClient(platform, caller, givenMembers(body), id))),
    )
  },
  // Without a kind that is known, what one of them may have is right.
  { rules: (accepted) => addressMistakes(accepted, accepted.isPublic ?? true) },
)

const getRoute = serve(clients.get, async ({ platform, caller, params }) =>
  tagged(await getClient(platform, caller, params.clientId)),
)

const changeRoute = serve(
  clients.change,
  async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: ClientRecord) => isSame(ifMatch, tagOf(now))
    return tagged(await changeClient(platform, caller, params.clientId, givenMembers(body), isExpected))
  },
  { rules: (accepted) => addressMistakes(accepted, true) },
)

function tagged(client: ClientRecord) {
  return answer(showClient(client), { headers: { etag: tagOf(client) } })
}

/** Of what an organisation decides about a client: its secrets and its use change without it. */
function tagOf({ id, updatedAt }: ClientRecord): string {
  return entityTagOf(`${id} ${updatedAt.toISOString()}`)
}

const deleteRoute = serve(clients.delete, async ({ platform, caller, params }) => {
  await deleteClient(platform, caller, params.clientId)
  return answer(undefined)
})

const rotateRoute = serve(clients.rotateSecret, async ({ platform, caller, params, body }) => {
  const { client, secret } = await rotateClientSecret(platform, caller, params.clientId, body.overlapSeconds)
  return answer({ ...showClient(client), clientSecret: secret })
})

const endSecretRoute = serve(clients.endSecret, async ({ platform, caller, params }) => {
  await removeClientSecret(platform, caller, params.clientId, knownId(params.id))
  return answer(undefined)
})

/** Clients, in our API. */
export const clientRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  getRoute,
  changeRoute,
  deleteRoute,
  rotateRoute,
  endSecretRoute,
]
