declare const brand: unique symbol

/** Id of a tenant (UUID). Only the directory and the token check make one out of a string. */
export type TenantId = string & { readonly [brand]: 'TenantId' }
/** Id of a person in a tenant's directory (UUID). */
export type UserId = string & { readonly [brand]: 'UserId' }

/** What a token may be good for. One row a scope; the sentence is the API documentation. */
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
  'webhooks:write': 'Manage webhook endpoints; read and stream events.',
  'audit:read': 'Read the audit trail and the figures.',
  'tenant:admin': 'Everything inside the tenant except impersonation.',
  'platform:admin': 'Manage tenants.',
} as const

/** One of {@link scopes}. */
export type Scope = keyof typeof scopes

/** Whether a string names a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}

/** Who asks: read from an access token that was verified, never from the request itself. */
export type Caller = {
  readonly tenantId: TenantId
  readonly tenantSlug: string
  /** A person, or a client acting for itself. `id` is the user id or the client id. */
  readonly actor: { readonly kind: 'user' | 'client'; readonly id: string }
  readonly userId: UserId | null
  readonly clientId: string
  /** The client that acts for the user after a token exchange (RFC 8693 `act`), else null. */
  readonly actingClientId: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly requestId: string
  readonly ip: string
  /** When the token ends. What outlives a request, such as a stream, ends with it. */
  readonly expiresAt?: Date
}

/**
 * Whether the caller holds a scope. `tenant:admin` implies every scope of the tenant but the power to act as its people, which is
 * always granted by name; the wallet scopes are of use to a person only, since a wallet belongs to one.
 */
export function holds(caller: Pick<Caller, 'scopes'>, needed: Scope): boolean {
  if (caller.scopes.has(needed)) return true
  if (needed === 'users:impersonate' || needed === 'platform:admin') return false
  return caller.scopes.has('tenant:admin')
}
