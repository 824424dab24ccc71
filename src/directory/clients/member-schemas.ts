import { Type } from 'typebox'
import { type Role, roles, type Scope, scopes } from '../../caller.ts'
import { GRANT_TYPES, ID_TOKEN_ALGS } from './client.ts'

const uri = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2000, pattern: '^[\\x21-\\x7e]+$', description })
const uris = (description: string) =>
  Type.Array(uri('https, http to 127.0.0.1 or [::1], or for a public client a private-use scheme. No fragment.'), {
    maxItems: 20,
    uniqueItems: true,
    description,
  })

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
    { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
    { additionalProperties: false, description: 'P-256 or Ed25519 public keys that verify its assertions.' },
  ),
  jwksUri: uri('Where the client publishes its keys, instead of jwks.'),
} as const
