import { type Static, Type } from 'typebox'
import { type Role, roles, type Scope, scopes } from '../../caller.ts'
import type { Json } from '../../crypto/json.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'

const uri = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2000, pattern: '^[\\x21-\\x7e]+$', description })

const uris = (description: string) =>
  Type.Array(uri('https, http to 127.0.0.1 or [::1], or for a public client a private-use scheme. No fragment.'), {
    maxItems: 20,
    uniqueItems: true,
    description,
  })

/** Grant types that a client may be given. */
const GRANT_TYPES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:token-exchange',
] as const

/** Algorithms by which ID tokens are signed. A client that states none gets the first, as OpenID Connect has it. */
export const ID_TOKEN_ALGS = ['RS256', 'ES256'] as const

/** The members of a client, in the API and in the bootstrap file. */
export const clientMembers = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description: 'Shown to people.' }),
  // Object.keys loses the type of the keys.
  scopes: Type.Array(Type.Enum(Object.keys(scopes) as Scope[]), {
    uniqueItems: true,
    description: 'Scopes besides those of its roles.',
  }),
  roles: Type.Array(Type.Enum(Object.keys(roles) as Role[]), {
    uniqueItems: true,
    description: 'Each gives its scopes to the client.',
  }),
  grantTypes: Type.Array(Type.Enum([...GRANT_TYPES]), {
    minItems: 1,
    uniqueItems: true,
    description:
      'By default the code flow with refresh tokens for a public client, else client credentials and token exchange.',
  }),
  redirectUris: uris('Where the authorization endpoint may send people back to; compared exactly.'),
  postLogoutRedirectUris: uris('Where people may be sent after they signed out.'),
  backchannelLogoutUri: uri('Receives a logout token when the session of a person ends.'),
  tosUri: uri('Terms of service of the application, which people find where they are asked for their consent.'),
  isPublic: Type.Boolean({
    description: 'A native app or a browser: no secret, code flow with PKCE only. False by default.',
  }),
  asksConsent: Type.Boolean({
    description: "Whether people are asked for their consent. False for the organisation's own applications.",
  }),
  dpopRequired: Type.Boolean({ description: 'Whether its tokens must be bound to a DPoP key.' }),
  parRequired: Type.Boolean({ description: 'Whether it must push its authorization requests.' }),
  pkceRequired: Type.Boolean({
    description:
      'Whether its authorization requests must have a PKCE challenge (S256): by default, and for public clients. ' +
      'If false, requests without one must have `nonce` and the scope `openid`, and the client checks the nonce.',
  }),
  idTokenSignedResponseAlg: Type.Enum([...ID_TOKEN_ALGS], {
    description: 'Algorithm of its ID tokens and logout tokens; RS256 by default, which every library verifies.',
  }),
  jwks: Type.Object(
    { keys: Type.Array(Type.Record(Type.String(), Type.Unsafe<Json>({})), { minItems: 1, maxItems: 10 }) },
    { additionalProperties: false, description: 'P-256 or Ed25519 public keys that verify its assertions.' },
  ),
  jwksUri: uri('Where the client publishes its keys, instead of jwks.'),
} as const

export const { name, jwks, jwksUri, backchannelLogoutUri, tosUri, isPublic, ...lists } = clientMembers

const disabled = Type.Boolean({ description: 'A disabled client gets no tokens; those that it has expire.' })

/** The body that creates a client. */
export const ClientBody = Type.Object(
  {
    ...Type.Partial(Type.Object(lists)).properties,
    name,
    isPublic: Type.Optional(isPublic),
    backchannelLogoutUri: Type.Optional(backchannelLogoutUri),
    tosUri: Type.Optional(tosUri),
    jwks: Type.Optional(jwks),
    jwksUri: Type.Optional(jwksUri),
    disabled: Type.Optional(disabled),
  },
  { $id: 'ClientBody', additionalProperties: false, examples: [{ name: 'Registry', roles: ['issuer'] }] },
)

/** The body that changes a client. Absent members stay as they are. */
export const ClientChangeBody = Type.Object(
  {
    ...Type.Partial(Type.Object(lists)).properties,
    name: Type.Optional(name),
    backchannelLogoutUri: Type.Optional(orNull(backchannelLogoutUri)),
    tosUri: Type.Optional(orNull(tosUri)),
    jwks: Type.Optional(orNull(jwks)),
    jwksUri: Type.Optional(orNull(jwksUri)),
    disabled: Type.Optional(disabled),
  },
  { $id: 'ClientChangeBody', additionalProperties: false, examples: [{ disabled: true }] },
)

/** The body that rotates the secret. */
const ClientSecretBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: 'How long the former secret is valid too; a day by default. Use 0 if it has leaked.',
      }),
    ),
  },
  { $id: 'ClientSecretBody', additionalProperties: false, examples: [{ overlapSeconds: 3600 }] },
)

const SecretReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    origin: Type.Enum(['server', 'file'], { description: '`file`: from the bootstrap file.' }),
    createdAt: time,
    endsAt: { ...orNull(time), description: 'When it stops being valid; null: it does not.' },
  },
  { additionalProperties: false },
)

const shown = {
  id: Type.String({ format: 'uuid' }),
  clientId: Type.String(),
  ...lists,
  isPublic,
  name: orNull(name),
  backchannelLogoutUri: orNull(backchannelLogoutUri),
  tosUri: orNull(tosUri),
  jwks: orNull(jwks),
  jwksUri: orNull(jwksUri),
  disabled,
  secrets: Type.Array(SecretReply, { description: 'Those that are valid, the newest first; at most two.' }),
  createdAt: time,
  updatedAt: time,
  lastUsedAt: { ...orNull(time), description: 'When it last authenticated, to within five minutes.' },
} as const

/** A client in a reply. */
export const ClientReply = Type.Object(shown, { $id: 'Client', additionalProperties: false })

const SECRET = 'The secret, 256 bits. It is shown in this response only.'

/** A client that was just created. */
const CreatedClientReply = Type.Object(
  {
    ...shown,
    clientSecret: Type.Optional(
      Type.String({ description: `${SECRET} A public client, and one with keys, has none.` }),
    ),
  },
  { $id: 'CreatedClient', additionalProperties: false },
)

/** A client that has a new secret. */
const ClientWithSecretReply = Type.Object(
  { ...shown, clientSecret: Type.String({ description: SECRET }) },
  { $id: 'ClientWithSecret', additionalProperties: false },
)

/** A client as the answer to its creation shows it. */
export type CreatedClientReply = Static<typeof CreatedClientReply>

export type ClientReply = Static<typeof ClientReply>

/** Query of the list of clients. */
const ClientListQuery = listQuery()

const ofClients = operationGroup({
  group: 'onboarding',
  tag: 'applications',
  path: '/clients',
  scope: 'tenant:admin',
  reply: ClientReply,
})

/** Clients of the tenant: services and applications. */
export const clients = {
  list: ofClients.list('', {
    summary: 'Lists the clients of the tenant: services and applications.',
    query: ClientListQuery,
  }),

  create: ofClients.post('', {
    operationId: 'createClient',
    summary:
      'Creates a client. Only this response contains its secret; a public client, and one with keys, has none. A caller gives only scopes and roles that it holds.',
    body: ClientBody,
    reply: CreatedClientReply,
    status: 201,
    faults: ['role.above_caller', 'state.conflict'],
  }),

  get: ofClients.get('/{clientId}', {
    summary: 'Reads a client.',
    replyHeaders: ['ETag'],
  }),

  change: ofClients.patch('/{clientId}', {
    summary:
      'Changes the members of a client that the body names. A client of the bootstrap file gets its members back when the file is applied again.',
    body: ClientChangeBody,
    ifMatch: true,
    replyHeaders: ['ETag'],
    faults: ['resource.changed', 'role.above_caller', 'state.conflict'],
  }),

  delete: ofClients.delete('/{clientId}', {
    summary: 'Deletes a client with its secrets. Its access tokens expire within five minutes.',
    reply: undefined,
    faults: ['role.above_caller', 'state.conflict'],
  }),

  rotateSecret: ofClients.post('/{clientId}/secrets', {
    operationId: 'createClientSecret',
    summary:
      'Adds a secret, shown in this response only. The former one stays valid for a time; at most two are valid at once.',
    body: ClientSecretBody,
    reply: ClientWithSecretReply,
    status: 201,
    faults: ['role.above_caller', 'state.invalid'],
  }),

  endSecret: ofClients.delete('/{clientId}/secrets/{id}', {
    operationId: 'deleteClientSecret',
    summary: 'Ends a secret at once, also one of the bootstrap file.',
    reply: undefined,
    faults: ['role.above_caller'],
  }),
} as const
