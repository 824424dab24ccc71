import { type Caller, holds, type Scope } from '../../caller.ts'
import { Fault, type Violation } from '../../fault.ts'
import { checkRoles } from '../users/authority.ts'
import type { ClientMembers } from './client-record.ts'

/** A private-use scheme is a domain name in reverse, so that it belongs to its owner (RFC 8252 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

type Checked = Pick<
  ClientMembers,
  | 'isPublic'
  | 'pkceRequired'
  | 'grantTypes'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'tosUri'
  | 'jwksUri'
  | 'keys'
>

/** Returns what is wrong with the members of a client together; each alone has passed its schema. */
export function clientMistakes(client: Checked): Violation[] {
  const { isPublic, grantTypes } = client
  const has = (grant: string) => grantTypes.includes(grant)
  const services = grantTypes.filter((one) => one !== 'authorization_code' && one !== 'refresh_token')
  const hasKeys = client.keys !== null || client.jwksUri !== null
  const mistakes: readonly (Violation & { readonly isMade: boolean })[] = [
    {
      isMade: isPublic && services.length > 0,
      pointer: '/grantTypes',
      detail: `A public client cannot use ${services.join(' or ')}.`,
      rule: 'client.public_grants',
    },
    {
      isMade: isPublic && hasKeys,
      pointer: '/isPublic',
      detail: 'A public client has no keys.',
      rule: 'client.public_keys',
    },
    // RFC 9700 2.1.1
    {
      isMade: isPublic && !client.pkceRequired,
      pointer: '/pkceRequired',
      detail: 'A public client needs PKCE.',
      rule: 'client.public_pkce',
    },
    {
      isMade: client.keys !== null && client.jwksUri !== null,
      pointer: '/jwksUri',
      detail: 'Give jwks or jwksUri, not both.',
      rule: 'client.keys_twice',
    },
    {
      isMade: has('authorization_code') && client.redirectUris.length === 0,
      pointer: '/redirectUris',
      detail: 'authorization_code needs a redirect URI.',
      rule: 'client.redirect_needed',
    },
    {
      isMade: has('refresh_token') && !has('authorization_code'),
      pointer: '/grantTypes',
      detail: 'refresh_token needs authorization_code.',
      rule: 'client.refresh_alone',
    },
  ]
  return [
    ...mistakes.flatMap(({ isMade, ...mistake }) => (isMade ? [mistake] : [])),
    ...addressMistakes(client, isPublic),
  ]
}

type Addresses = Pick<
  Checked,
  'redirectUris' | 'postLogoutRedirectUris' | 'backchannelLogoutUri' | 'tosUri' | 'jwksUri'
>

/** Returns what is wrong with the addresses of a client, each by itself. */
export function addressMistakes(client: Partial<Addresses>, isPublic: boolean): Violation[] {
  const single = (pointer: string, uri: string | null | undefined) =>
    uri === null || uri === undefined ? [] : uriMistakes(uri, pointer, false)
  const { redirectUris = [], postLogoutRedirectUris = [] } = client
  return [
    ...redirectUris.flatMap((uri, n) => uriMistakes(uri, `/redirectUris/${n}`, isPublic)),
    ...postLogoutRedirectUris.flatMap((uri, n) => uriMistakes(uri, `/postLogoutRedirectUris/${n}`, isPublic)),
    ...single('/backchannelLogoutUri', client.backchannelLogoutUri),
    ...single('/tosUri', client.tosUri),
    ...single('/jwksUri', client.jwksUri),
  ]
}

/**
 * Checks that the caller holds every scope and could give every role that a client is to have.
 *
 * @throws Fault `role.above_caller`
 */
export function checkGrants(caller: Caller, scopes: readonly Scope[] = [], roles: readonly string[] = []): void {
  checkRoles(caller, roles)
  const violations = scopes.flatMap((scope, index) => {
    const detail = `You cannot give the scope ${scope}: you do not hold it.`
    return holds(caller, scope) ? [] : [{ pointer: `/scopes/${index}`, detail }]
  })
  if (violations.length > 0) throw new Fault('role.above_caller', { violations })
}

/**
 * Checks that the caller may act for users, if the client gets their tokens without asking them: a caller who decides
 * its redirect URIs or keys acts as each user who opens a link to it.
 *
 * @throws Fault `role.above_caller`
 */
export function checkConsent(
  caller: Pick<Caller, 'scopes'>,
  { asksConsent, grantTypes }: Pick<ClientMembers, 'asksConsent' | 'grantTypes'>,
): void {
  if (asksConsent || !grantTypes.includes('authorization_code') || holds(caller, 'users:impersonate')) return
  const detail = 'A client that does not ask users for consent acts as each of them: it needs users:impersonate.'
  throw new Fault('role.above_caller', { violations: [{ pointer: '/asksConsent', detail }] })
}

/**
 * Whether a public client may be registered with a redirect URI: https, loopback, or a private-use scheme (RFC 8252 7).
 */
export function isPublicRedirect(uri: string): boolean {
  return uriMistakes(uri, '', true).length === 0
}

/** RFC 6749 3.1.2, RFC 8252 7 and 8.3, RFC 9700 2.1. */
function uriMistakes(uri: string, pointer: string, isPublic: boolean): Violation[] {
  const rule = isPublic ? 'client.address_public' : 'client.address'
  const mistake = (detail: string): Violation[] => [{ pointer, detail, rule }]
  if (uri.includes('#')) return mistake('Must have no fragment.')
  if (!URL.canParse(uri)) return mistake('Must be an absolute URI.')
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return mistake('Must have no user and no password.')
  if (protocol === 'https:') return []
  if (protocol === 'http:') {
    const isLoopback = hostname === '127.0.0.1' || hostname === '[::1]'
    return isLoopback ? [] : mistake('Must be https. http is for the loopback addresses 127.0.0.1 and [::1] only.')
  }
  if (!isPublic) return mistake('Must be https, or http to a loopback address.')
  return PRIVATE_USE.test(protocol)
    ? []
    : mistake('Must be https, http to a loopback address, or a private-use scheme like com.example.app.')
}
