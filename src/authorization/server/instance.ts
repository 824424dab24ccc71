import type { TenantId, UserId } from '../../caller.ts'
import type { Client } from '../../directory/clients/client.ts'
import type { SigningKeyUsage } from '../../keys/current-keys.ts'
import type { Platform } from '../../platform.ts'
import type { ServerEndpoints } from '../../protocols/oauth2/server-metadata.ts'
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
  /** Returns which of the requested scopes the user may grant; null: the user may not sign in. */
  readonly scopesOf: (platform: Platform, user: UserRef, requested: readonly string[]) => Promise<string[] | null>
  /** Issues the tokens of a grant. */
  readonly issue: (platform: Platform, granted: Granted) => Promise<TokenAnswer>
}

/** A user of a tenant. */
export type UserRef = { readonly tenantId: TenantId; readonly userId: UserId }

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
  readonly scopes: readonly string[]
  /** Thumbprint of the DPoP key that the tokens are bound to. */
  readonly jkt: string | null
  /** Of the authorization request. */
  readonly nonce: string | null
  /** Whether it is granted by a refresh token. */
  readonly isRefresh: boolean
  readonly refreshToken: string | null
}
