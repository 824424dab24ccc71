import type { Role, Scope, TenantId } from '../../caller.ts'
import { ID_TOKEN_ALGS } from '../../contract/directory/clients.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

const SERVICE_GRANT_TYPES = ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'] as const
const APP_GRANT_TYPES = ['authorization_code', 'refresh_token'] as const

/** Returns the grant types of a client; those of its kind if none are named. */
export function grantTypesOf(given: {
  readonly grantTypes?: readonly string[] | undefined
  readonly isPublic?: boolean | undefined
}): readonly string[] {
  return given.grantTypes ?? (given.isPublic === true ? APP_GRANT_TYPES : SERVICE_GRANT_TYPES)
}

/** A secret of a client, as it is stored. */
type ClientSecret = {
  /** Of a secret made by the server: its SHA-256 in base64url. Of one from the bootstrap file: a scrypt string. */
  readonly hash: string
  readonly isMade: boolean
  /** Milliseconds since 1970; null: it does not end. */
  readonly endsAtMs: number | null
}

/** An OAuth client of a tenant, with what authenticates it. */
export type Client = {
  readonly clientId: string
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly name: string | null
  /** Scopes of its own and of its roles, each once. */
  readonly scopes: readonly Scope[]
  readonly roles: readonly Role[]
  readonly grantTypes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri: string | null
  readonly tosUri: string | null
  /** It authenticates with nothing but its code verifier. */
  readonly isPublic: boolean
  readonly asksConsent: boolean
  readonly dpopRequired: boolean
  readonly parRequired: boolean
  /** Whether its authorization requests must have a PKCE challenge; if not, they may have a `nonce` instead. */
  readonly pkceRequired: boolean
  /** Algorithm of its ID tokens and logout tokens. */
  readonly idTokenSignedResponseAlg: (typeof ID_TOKEN_ALGS)[number]
  readonly jwksUri: string | null
  /** Those that ended are among them. */
  readonly secrets: readonly ClientSecret[]
  /** Public keys of its assertions; null for a client without any. */
  readonly keys: readonly PublicJwk[] | null
  /** To within five minutes. */
  readonly lastUsedAt: Date | null
}

/** The members of a client for which none are given. */
export const clientDefaults = {
  name: null,
  scopes: [],
  roles: [],
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  tosUri: null,
  isPublic: false,
  asksConsent: true,
  dpopRequired: false,
  parRequired: false,
  pkceRequired: true,
  idTokenSignedResponseAlg: ID_TOKEN_ALGS[0],
  jwksUri: null,
  keys: null,
} satisfies Partial<Client>
