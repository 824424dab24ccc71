declare const brand: unique symbol

/** Id of a tenant (UUID). Only the directory and token verification convert a string to one. */
export type TenantId = string & { readonly [brand]: 'TenantId' }
/** Id of a user in a tenant's directory (UUID). */
export type UserId = string & { readonly [brand]: 'UserId' }

/** Every scope, with the sentence that the API documentation prints. */
export const scopes = {
  'wallet:read': 'Read the credentials and presentations of a wallet.',
  'wallet:write': 'Receive credentials into a wallet, consent to them and present them.',
  'issuance:read': 'Read credential templates and issuances.',
  'issuance:write': 'Create credential templates and issue credentials.',
  'verification:read': 'Read presentation templates, requests and results.',
  'verification:write': 'Create presentation templates and requests.',
  'trust:read': 'Read certificates, signing requests and trusted entities.',
  'trust:write': 'Create certificates, signing requests and trusted entities.',
  'users:read': 'Read the users of the tenant.',
  'users:write': 'Create and change the users of the tenant.',
  'users:impersonate': 'Exchange a client token for the wallet token of a user of the tenant.',
  'tokens:introspect':
    'Describe access tokens that other clients of the tenant hold, as a gateway before the API does.',
  'webhooks:write': 'Manage webhook endpoints.',
  'events:read': 'Read and stream events; read webhook endpoints and their deliveries.',
  'audit:read': 'Read the audit trail and the statistics.',
  'tenant:admin': 'Everything inside the tenant except impersonation.',
  'platform:admin': 'List and remove the tenants of the platform; given by the bootstrap file only.',
} as const

/** One of {@link scopes}. */
export type Scope = keyof typeof scopes

/** Returns whether a string names a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}

/** Every role: the scopes that it gives, and the sentence that the API documentation prints. */
export const roles = {
  holder: { scopes: [], description: 'Uses the own wallet. Every user may, without the role.' },
  issuer: {
    scopes: ['issuance:read', 'issuance:write', 'trust:read', 'users:read'],
    description: 'Creates credential templates and issues, revokes and suspends credentials.',
  },
  verifier: {
    scopes: ['verification:read', 'verification:write', 'trust:read'],
    description: 'Creates presentation templates and asks for presentations.',
  },
  'trust-admin': {
    scopes: ['trust:read', 'trust:write'],
    description: 'Manages certificates, signing requests and trusted entities.',
  },
  'user-admin': { scopes: ['users:read', 'users:write'], description: 'Manages the users and groups of the tenant.' },
  auditor: {
    scopes: ['audit:read', 'events:read', 'issuance:read', 'verification:read', 'trust:read', 'users:read'],
    description: 'Reads everything of the tenant, changes nothing.',
  },
  owner: { scopes: ['tenant:admin'], description: 'Everything inside the tenant.' },
} as const satisfies Record<string, { readonly scopes: readonly Scope[]; readonly description: string }>

/** One of {@link roles}. */
export type Role = keyof typeof roles

/** Returns whether a string names a role. */
export function isRole(text: string): text is Role {
  return Object.hasOwn(roles, text)
}

/** Returns the scopes that roles give, each once. Names that are no role are ignored. */
export function scopesOfRoles(names: readonly string[]): Scope[] {
  return [...new Set(names.filter(isRole).flatMap((name): readonly Scope[] => roles[name].scopes))]
}

/** The caller of a request, read from its verified access token only. */
export type Caller = {
  readonly tenantId: TenantId
  readonly tenantSlug: string
  /** A user, or a client acting for itself. `id` is the user id or the client id. */
  readonly actor: { readonly kind: 'user' | 'client'; readonly id: string }
  readonly userId: UserId | null
  readonly clientId: string
  /** The client that acts for the user after a token exchange (RFC 8693 `act`), else null. */
  readonly actingClientId: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly requestId: string
  readonly ip: string
  /** When the token expires. A stream of events ends then. */
  readonly expiresAt?: Date
}

/**
 * Returns whether the caller has a scope. `tenant:admin` implies every scope of the tenant except `users:impersonate`,
 * which is always granted by name. The wallet scopes are useful to a user only, since a wallet belongs to a user.
 */
export function holds(caller: Pick<Caller, 'scopes'>, needed: Scope): boolean {
  if (caller.scopes.has(needed)) return true
  if (needed === 'users:impersonate' || needed === 'platform:admin') return false
  return caller.scopes.has('tenant:admin')
}
