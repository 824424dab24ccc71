import { Type } from 'typebox'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'

const shown = {
  id: Type.String({ format: 'uuid' }),
  clientId: Type.String(),
  name: Type.String(),
  createdAt: time,
  expiresAt: orNull(time),
  lastUsedAt: Type.Union([time, Type.Null()], { description: 'To within five minutes.' }),
} as const

const TokenReply = Type.Object(shown, { $id: 'ProvisioningToken', additionalProperties: false })

const CreatedTokenReply = Type.Object(
  { ...shown, token: Type.String({ description: 'The bearer token. It is told in this response only.' }) },
  { $id: 'CreatedProvisioningToken', additionalProperties: false },
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

const ofScimTokens = operationGroup({
  group: 'onboarding',
  tag: 'provisioning',
  path: '/scim-tokens',
  reply: TokenReply,
  scope: 'tenant:admin',
})

/** Access tokens for provisioning by SCIM. */
export const scimTokens = {
  create: ofScimTokens.post('', {
    operationId: 'createProvisioningToken',
    summary:
      'Creates a long-lived token by which an identity system provisions users and groups at `/onboarding/scim/v2`.',
    body: TokenBody,
    reply: CreatedTokenReply,
    status: 201,
    faults: ['resource.unknown', 'role.above_caller'],
  }),

  list: ofScimTokens.list('', {
    summary: 'Lists the provisioning tokens, without their secrets.',
    query: listQuery({ filters: { clientId: Type.String({ minLength: 1, maxLength: 200 }) } }),
  }),

  get: ofScimTokens.get('/{id}', {
    operationId: 'getProvisioningToken',
    summary: 'Returns a provisioning token, without its secret.',
  }),

  delete: ofScimTokens.delete('/{id}', {
    operationId: 'deleteProvisioningToken',
    summary: 'Revokes a provisioning token, at once.',
    reply: undefined,
  }),
} as const
