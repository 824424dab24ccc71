import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
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

const time = Type.String({ format: 'date-time' })

const TokenReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    clientId: Type.String(),
    name: Type.String(),
    createdAt: time,
    expiresAt: Type.Union([time, Type.Null()]),
    lastUsedAt: Type.Union([time, Type.Null()], { description: 'To within five minutes.' }),
    token: Type.Optional(Type.String({ description: 'The bearer token, told here only.' })),
  },
  { $id: 'ProvisioningToken', additionalProperties: false },
)
/** The body that creates a token. */
export const TokenBody = Type.Object(
  {
    clientId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The client whose scopes and roles the token has.',
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000]*$',
      description: 'E.g. of the identity system.',
    }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, description: 'Never, by default.' })),
  },
  { $id: 'ProvisioningTokenBody', additionalProperties: false, examples: [{ clientId: 'entra', name: 'Entra ID' }] },
)

const tokens = routeGroup({
  ...{ group: 'onboarding', tag: 'provisioning', path: '/scim-tokens', reply: TokenReply, scope: 'tenant:admin' },
})

const createRoute = tokens.post('', {
  summary:
    'Creates a long-lived token by which an identity system provisions users and groups at `/onboarding/scim/v2`.',
  body: TokenBody,
  status: 201,
  faults: ['resource.unknown', 'role.above_caller'],
  handle: async ({ platform, caller, body: { clientId, name, expiresInDays } }) => {
    const now = platform.clock.now()
    const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * 86_400_000)
    const { text, id, hash } = makeBearerSecret(caller.tenantId)
    const entry = { action: 'client.token_created', subject: { kind: 'client', id: clientId }, by: caller } as const
    const token = { id, hash, clientId, name, expiresAt }
    const made = await platform.store.inTenant(caller.tenantId, async (tx) => {
      await lockClient(tx, caller, clientId, now)
      return insertClientToken(tx, token, entry, now)
    })
    if (made === null)
      throw new Fault('resource.unknown', {
        violations: [{ pointer: '/clientId', detail: 'There is no such client.' }],
      })
    return answer({ ...show(made), token: text })
  },
})

const listRoute = tokens.list('', {
  summary: 'Lists the provisioning tokens, without their secrets.',
  query: listQuery({ filters: { clientId: Type.String({ minLength: 1, maxLength: 200 }) } }),
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listClientTokens(tx, list, filters)),
  show,
})

const getRoute = tokens.get('/{id}', {
  operationId: 'getProvisioningToken',
  summary: 'Returns a provisioning token, without its secret.',
  handle: async ({ platform, caller, params }) => {
    const id = knownId(params.id)
    const found = await platform.store.single(caller.tenantId, (tx) => findClientToken(tx, id))
    if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such token.' })
    return answer(show(found))
  },
})

const deleteRoute = tokens.delete('/{id}', {
  operationId: 'deleteProvisioningToken',
  summary: 'Revokes a provisioning token, at once.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
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
  },
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
