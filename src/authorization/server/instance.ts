import type { TenantId } from '../../caller.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Client } from '../../directory/clients/client.ts'
import type { SigningKeyUsage } from '../../keys/current-keys.ts'
import type { Platform } from '../../platform.ts'
import type { AuthorizationRequest, Parameters, RequestRules } from '../../protocols/oauth2/authorization-request.ts'
import type { ServerEndpoints } from '../../protocols/oauth2/server-metadata.ts'
import type { TenantTx } from '../../store/store.ts'
import type { UserRef } from '../sign-in/visit.ts'
import type { ClientRequest, TokenAnswer } from './token-request.ts'

/** One authorization server, as data: the endpoints are run and described from it. */
export type ServerInstance = {
  /** Issuer identifier. Client assertions have it as audience. */
  readonly issuer: string
  /** The tenant that it belongs to: owner of its keys. Proofs of requests without a client are spent there. */
  readonly tenantId: TenantId
  /** Usages of the keys that it publishes; none: its tokens are read by itself only. */
  readonly keys: readonly SigningKeyUsage[]
  /** Addresses of the endpoints that it has. */
  readonly endpoints: ServerEndpoints
  readonly clients: ClientPolicy
  /** Grants of the token endpoint. */
  readonly grants: readonly Grant[]
  /** Whether all clients must push their authorization requests. */
  readonly parRequired?: boolean
  /** Whether tokens can be bound to keys with DPoP. */
  readonly acceptsDpop: boolean
  /** What users may grant to clients; null: no grant involves a user of ours. */
  readonly users: UserPolicy | null
  /** What `resource` and `audience` of a token request may name; null: they are ignored. */
  readonly audiences: readonly string[] | null
  /** Reads an access token of its own format; null: it is none, or has expired. */
  readonly readToken: (platform: Platform, token: string) => Promise<ReadToken | null>
  /** Scopes to publish; null: they are published elsewhere. */
  readonly scopes: readonly string[] | null
  /** Metadata of extensions, as they are published. */
  readonly extensions: Readonly<Record<string, unknown>>
}

/** An access token: its tenant, and what introspection says of it (RFC 7662 2.2). */
export type ReadToken = { readonly tenantId: TenantId; readonly claims: Readonly<Record<string, unknown>> }

/** How clients authenticate, and where they are known. */
type ClientPolicy = {
  /** As the metadata name them (RFC 8414 `token_endpoint_auth_methods_supported`). */
  readonly methods: readonly ClientMethod[]
  /** Returns a client; null if it is unknown or disabled. */
  readonly find: (clientId: string) => Promise<Client | null>
  /** Whether a redirect URI is one of the client; by default if it is registered. */
  readonly isRedirect?: (client: Client, uri: string) => boolean
  /** Absent: the server accepts no client attestations, and ignores their headers. */
  readonly attestations?: AttestationPolicy
  /** A client authenticates also for a grant that needs no client. */
  readonly isRequired?: boolean
}

/** How clients may authenticate: registered names of methods. */
export type ClientMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'attest_jwt_client_auth'
  | 'attest_jwt_client_auth_dpop'
  | 'none'

/** Which client attestations are accepted. */
type AttestationPolicy = {
  /** Returns the client that a trusted attester names. @throws Fault `client_attestation.invalid` */
  readonly find: (clientId: string) => Promise<Client>
  /** [HAIP-8] Attesters are named by `x5c` alone, without their trust anchor. */
  readonly needsChain: boolean
  /** Proofs of possession have a challenge of the server. */
  readonly needsChallenge: boolean
}

/** A token request whose client and proof have been checked. */
export type GrantRequest<C> = ClientRequest & {
  readonly instance: ServerInstance
  readonly client: C
  /** Thumbprint of the DPoP key that was proven; null: the request has no proof. */
  readonly jkt: string | null
  /** Thumbprint of the key of the client instance, which a client attestation proved; null: the request has none. */
  readonly instanceKey: string | null
}

/** A grant of the token endpoint: what it requires of the client, and what it issues. */
export type Grant = { readonly type: string } & (
  | {
      readonly client: 'required'
      readonly issue: (platform: Platform, request: GrantRequest<Client>) => Promise<object>
    }
  | { readonly client: 'none'; readonly issue: (platform: Platform, request: GrantRequest<null>) => Promise<object> }
)

/** What users may grant to clients, and which tokens follow from it. */
export type UserPolicy = {
  /** Path of the page that asks a user for consent. */
  readonly consentPage: string
  /** Whether a request must have a `scope`; if not, `check` decides what else it may name. */
  readonly needsScope: boolean
  /**
   * `offline_access`: a user who grants this scope grants a refresh token. `always`: each grant does; a public client
   * must prove a key.
   */
  readonly refreshTokens: 'offline_access' | 'always'
  /** Reads an `id_token_hint`, null if it is invalid. Absent: the server issues no ID tokens, and ignores hints. */
  readonly readHint?: (platform: Platform, text: string) => Promise<IdTokenHint | null>
  /** Refuses requests for what the server does not have, before a user is known, also when they are pushed. */
  readonly check?: (platform: Platform, request: AuthorizationRequest, parameters: Parameters) => Promise<void>
  /**
   * Whether a request needs what an external provider states about the user, so that the sign-in for it holds the
   * claims. Absent: none does.
   */
  readonly needsClaims?: (platform: Platform, request: AuthorizationRequest, parameters: Parameters) => Promise<boolean>
  /** Decides about the request of a signed-in user. @throws Fault that the client is told */
  readonly decide: (platform: Platform, asked: UserRequest) => Promise<Decision>
  readonly tokens: SelfContainedTokens | StoredTokens
}

/** Access tokens that no row stands for. They expire within minutes, and are not revoked. */
type SelfContainedTokens = {
  readonly kind: 'self-contained'
  readonly issue: (platform: Platform, granted: Granted) => Promise<TokenAnswer>
}

/** Access tokens that a row stands for. */
type StoredTokens = {
  readonly kind: 'stored'
  /**
   * Stores the token in the transaction that redeems the code or rotates the refresh token, and returns what makes the
   * token response once it has committed. A fault changes nothing: neither code nor refresh token is spent.
   */
  readonly store: (
    platform: Platform,
    tx: TenantTx,
    granted: Granted,
    request: GrantRequest<Client>,
  ) => Promise<() => Promise<TokenAnswer>>
  /** Revokes the access token that came from a code, in the transaction that ends the refresh token. */
  readonly revoke: (tx: TenantTx, ended: EndedFamily, now: Date) => Promise<void>
}

/** Returns what a server demands of the authorization requests of a client. */
export function requestRulesOf(
  { users }: ServerInstance,
  { pkceRequired }: Pick<Client, 'pkceRequired'>,
): RequestRules {
  // Without ID tokens of the server no nonce comes back.
  const needsChallenge = pkceRequired || users?.readHint === undefined
  return { needsScope: users?.needsScope ?? true, needsChallenge }
}

/** The user, the client and the session of an ID token of ours. */
export type IdTokenHint = { readonly userId: string; readonly clientId: string; readonly sessionId: string }

/** An authorization request of a signed-in user. */
export type UserRequest = {
  readonly client: Client
  readonly session: SignIn
  readonly request: AuthorizationRequest
  readonly parameters: Parameters
  /** `consent` in the address of the request, as the consent page returned it. */
  readonly consent: string | undefined
  /** When the request first arrived; null: this is the first time. */
  readonly since: Date | null
  readonly ip: string
  readonly requestId: string
}

/** A token by which a user agreed. Its digest is kept until `expiresAt`, when it does not count any more. */
export type SpentConsent = { readonly token: string; readonly expiresAt: Date }

/** `sign-in`: the user may not use the session. `consent`: the user must be asked. */
export type Decision =
  | { readonly kind: 'sign-in' | 'consent' }
  | {
      readonly kind: 'grant'
      readonly scopes: readonly string[]
      /** What is granted besides scopes, as JSON. It comes back with the code and each refresh token. */
      readonly details: JsonObject | null
      /** The consent that the grant follows from. It is spent with the code: another request with it is refused. */
      readonly consent?: SpentConsent
      /** Runs in the transaction that stores the code. A fault stores nothing. */
      readonly write?: (tx: TenantTx) => Promise<void>
    }

/** Tokens that have ended. */
export type EndedFamily = Pick<Granted, 'familyId' | 'details'>

/** A user who authenticated in a browser. */
export type SignIn = UserRef & {
  readonly sessionId: string
  readonly authenticatedAt: Date
  /** RFC 8176 authentication method references. */
  readonly methods: readonly string[]
}

/** What a user granted to a client, by a code or by the refresh token that came with it. */
export type Granted = SignIn & {
  readonly client: Client
  /** Id of the code; all tokens that come from it share it. */
  readonly familyId: string
  readonly scopes: readonly string[]
  /** What was granted besides scopes. */
  readonly details: JsonObject | null
  /** Thumbprint of the DPoP key that the tokens are bound to. */
  readonly jkt: string | null
  /** Of the authorization request. */
  readonly nonce: string | null
  /** `email` and `email_verified`, if the scope `email` was granted by a code and the user has an address. */
  readonly emailClaims?: JsonObject | null
  /** Whether it is granted by a refresh token. */
  readonly isRefresh: boolean
  readonly refreshToken: string | null
}
