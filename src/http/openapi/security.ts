import { scopes } from '../../caller.ts'

/** The ways in which a request authenticates itself. The addresses are relative to the server. */
export const securitySchemes = {
  token: {
    type: 'oauth2',
    description:
      'An access token of the built-in authorization server: of a client, or of a user who signed in. The token of a provider that the organisation trusts is accepted as well.',
    flows: {
      clientCredentials: { tokenUrl: '/auth/token', scopes },
      authorizationCode: {
        authorizationUrl: '/auth/authorize',
        tokenUrl: '/auth/token',
        refreshUrl: '/auth/token',
        scopes,
      },
    },
  },
  walletToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token of the flow itself, that the wallet got from the token endpoint of the issuer.',
  },
} as const
