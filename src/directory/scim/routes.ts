import { serveList } from '../../api/serve-list.ts'
import { scimTokens } from '../../contract/directory/scim-tokens.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { makeBearerSecret } from '../../keys/bearer-secret.ts'
import { knownId } from '../../uuid.ts'
import { lockClient } from '../clients/manage-clients.ts'
import {
  type ClientToken,
  deleteClientToken,
  findClientToken,
  insertClientToken,
  listClientTokens,
} from './client-token-store.ts'

const createRoute = serve(scimTokens.create, async ({ platform, caller, body: { clientId, name, expiresInDays } }) => {
  const now = platform.clock.now()
  const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * 86_400_000)
  const { text, id, hash } = makeBearerSecret(caller.tenantId)
  const entry = { action: 'client.token_created', subject: { kind: 'client', id: clientId }, by: caller } as const
  const token = { id, hash, clientId, name, expiresAt }
  const made = await platform.store.inTenant(caller.tenantId, async (tx) => {
    await lockClient(tx, caller, clientId, now).catch(refuseUnknown)
    return insertClientToken(tx, token, entry, now)
  })
  if (made === null) throw unknownClient()
  return answer({ ...show(made), token: text })
})

function refuseUnknown(error: unknown): never {
  throw error instanceof Fault && error.code === 'resource.unknown' ? unknownClient() : error
}

/** The body names it, so the finding is about the body. */
function unknownClient(): Fault {
  const violation = { pointer: '/clientId', detail: 'There is no such client.', rule: 'client.unknown' } as const
  return new Fault('resource.unknown', { violations: [violation] })
}

const listRoute = serveList(scimTokens.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listClientTokens(tx, list, filters)),
  show,
})

const getRoute = serve(scimTokens.get, async ({ platform, caller, params }) => {
  const id = knownId(params.id)
  const found = await platform.store.single(caller.tenantId, (tx) => findClientToken(tx, id))
  if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such token.' })
  return answer(show(found))
})

const deleteRoute = serve(scimTokens.delete, async ({ platform, caller, params }) => {
  const entry = {
    action: 'client.token_deleted',
    subject: { kind: 'client', id: null },
    by: caller,
    detail: { tokenId: params.id },
  } as const
  const id = knownId(params.id)
  const isGone = await platform.store.single(caller.tenantId, (tx) =>
    deleteClientToken(tx, id, entry, platform.clock.now()),
  )
  if (!isGone) throw new Fault('resource.unknown', { detail: 'There is no such token.' })
  return answer(undefined)
})

/** Tokens of provisioning clients, in our API. */
export const provisioningRoutes: readonly Route[] = [createRoute, listRoute, getRoute, deleteRoute]

function show({ createdAt, expiresAt, lastUsedAt, ...rest }: ClientToken) {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
