import { type Static, Type } from 'typebox'
import { type Role, roles, type Scope, scopes } from '../../caller.ts'
import { allLanguages } from '../languages.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description })

// Object.keys loses the type of the keys.
const RoleName = Type.Enum(Object.keys(roles) as Role[])

const claim = text(200, 'The name of a claim; with a leading slash, a JSON pointer to it.')

const members = {
  displayName: text(200, 'Shown on the sign-in page; the name by default.'),
  issuer: text(2000, 'The issuer, compared exactly. Its metadata and keys are found by OpenID Connect Discovery.'),
  clientId: text(500, 'Our client at the provider.'),
  scopes: Type.Array(text(200, 'A scope.'), {
    maxItems: 50,
    uniqueItems: true,
    description: 'Asked for at sign-in, beside `openid`.',
  }),
  claims: Type.Object(
    {
      username: Type.Optional(claim),
      email: Type.Optional(claim),
      roles: Type.Optional(orNull(claim)),
      externalIdentifier: Type.Optional(orNull(claim)),
    },
    { additionalProperties: false, description: 'Which claims describe a person.' },
  ),
  roles: Type.Record(Type.String({ maxLength: 200 }), Type.Array(RoleName, { uniqueItems: true }), {
    description: 'Roles at the provider, and what they are here.',
    maxProperties: 200,
  }),
  createsUsers: Type.Boolean({ description: 'Whether a person who is unknown becomes a user at sign-in.' }),
  signIn: Type.Boolean({ description: 'Whether people sign in at it.' }),
  acceptTokens: Type.Boolean({ description: 'Whether its access tokens are accepted at this API, with the audience.' }),
  namesPeople: Type.Boolean({
    description:
      'Whether it decides which user a person is, also of users who can sign in otherwise or whose wallets hold ' +
      'something: by external identifier, verified e-mail address, or access token. Only a caller with ' +
      '`users:impersonate` sets it, for whom it is true by default, or the operator. Without it such users ' +
      'connect their account at the provider themselves, on the account page, and its access tokens name ' +
      'nobody.',
  }),
  audience: orNull(
    text(
      2000,
      'The audience of its access tokens. It is the issuer address of the organisation (`…/issuers/{slug}`) or contains the id of the organisation; the bootstrap file may set another one that no other provider of the issuer has.',
    ),
  ),
} as const

const clientSecret = orNull(text(500, 'Never returned. null: a public client.'))

const optional = Type.Partial(Type.Object(members)).properties

/** The body that creates a provider. */
export const ProviderBody = Type.Object(
  {
    ...optional,
    name: Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', description: 'Part of the redirect URI.' }),
    issuer: members.issuer,
    clientId: members.clientId,
    clientSecret: Type.Optional(clientSecret),
  },
  {
    $id: 'IdentityProviderBody',
    additionalProperties: false,
    examples: [{ name: 'entra', issuer: 'https://login.example/v2.0', clientId: 'chirograph' }],
  },
)

/** The body that changes a provider. Absent members stay as they are. */
export const ProviderChangeBody = Type.Object(
  { ...optional, clientSecret: Type.Optional(clientSecret) },
  { $id: 'IdentityProviderChangeBody', additionalProperties: false, examples: [{ acceptTokens: false }] },
)

/** A provider in a reply. */
export const ProviderReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...members,
    hasClientSecret: Type.Boolean(),
    redirectUri: Type.String({ description: 'The redirect URI to register for our client at the provider.' }),
    createdAt: time,
    updatedAt: time,
  },
  { $id: 'IdentityProvider', additionalProperties: false },
)

export type ProviderReply = Static<typeof ProviderReply>

/** Query of the list of providers. */
const ProviderListQuery = listQuery()

/** The caller and what it may do. */
const MeReply = Type.Object(
  {
    kind: Type.Enum(['user', 'client']),
    id: Type.String({ description: 'The id of the user or of the client.' }),
    name: Type.String({ description: 'Empty if unknown.' }),
    email: Type.String({ description: 'Empty if there is none.' }),
    actingClientId: orNull(Type.String({ description: 'The client that acts for the user after a token exchange.' })),
    organisation: Type.Object(
      {
        id: Type.String({ format: 'uuid' }),
        slug: Type.String(),
        name: Type.String(),
        accentColor: orNull(Type.String({ description: 'Colour of buttons and links of pages: `#rrggbb`.' })),
        languages: Type.Array(Type.Enum(allLanguages), {
          description: 'Languages of the pages of its people, the default first.',
        }),
        logoUri: orNull(Type.String({ description: 'The logo. Pages show it from an address of this server.' })),
        timeZone: Type.String({ description: 'The time zone in which pages show times.' }),
        privacyUri: orNull(Type.String({ description: 'The privacy notice.' })),
        supportAddress: orNull(Type.String({ description: 'An e-mail address or an https URL.' })),
        sendsMail: Type.Boolean({ description: 'Whether the server can mail offers and invitations.' }),
      },
      { additionalProperties: false },
    ),
    roles: Type.Array(RoleName, {
      description:
        'Stored roles of the user or client, those of its groups included. A change takes effect with the next token.',
    }),
    scopes: Type.Array(Type.Enum(Object.keys(scopes) as Scope[]), {
      description: 'What this request may do: the scopes of its token.',
    }),
  },
  { $id: 'Me', additionalProperties: false },
)

const ofProviders = operationGroup({
  group: 'onboarding',
  tag: 'identity providers',
  path: '/identity-providers',
  scope: 'tenant:admin',
  reply: ProviderReply,
})

/** External OpenID providers of the tenant. */
export const identityProviders = {
  list: ofProviders.list('', {
    summary: 'Lists the external OpenID providers of the tenant.',
    query: ProviderListQuery,
  }),

  create: ofProviders.post('', {
    summary:
      'Adds an external OpenID provider: people sign in at it, or its access tokens are accepted by this API, or both.',
    body: ProviderBody,
    status: 201,
    replyHeaders: ['ETag'],
    faults: ['role.above_caller', 'state.conflict'],
  }),

  get: ofProviders.get('/{id}', {
    summary: 'Reads an external OpenID provider.',
    replyHeaders: ['ETag'],
  }),

  change: ofProviders.patch('/{id}', {
    summary:
      'Changes an external OpenID provider. For its access tokens the change takes effect within about a minute.',
    body: ProviderChangeBody,
    ifMatch: true,
    replyHeaders: ['ETag'],
    faults: ['resource.changed', 'role.above_caller', 'state.conflict'],
  }),

  delete: ofProviders.delete('/{id}', {
    summary: 'Deletes an external OpenID provider. Its access tokens are refused within about a minute.',
    reply: undefined,
  }),
} as const

/** The caller itself. */
export const me = {
  get: operationGroup({ group: 'onboarding', scope: null }).get('/me', {
    summary: 'Returns the caller, its organisation, roles and scopes.',
    reply: MeReply,
  }),
} as const
