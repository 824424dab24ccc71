import { type Role, roles, type Scope, scopes } from '../../caller.ts'
import type { GivenBody } from '../../contract/call.ts'
import type { clients } from '../../contract/directory/clients.ts'
import { isJsonObject, type Json, parseJson } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import type { Application } from './application.ts'

/** What a form of an application holds. */
export type Draft = {
  readonly name: string
  /** `app`: it cannot keep a secret. */
  readonly kind: 'service' | 'app'
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** None: those of its kind. */
  readonly grants: readonly string[]
  /** One a line. */
  readonly redirects: string
  /** One a line. */
  readonly signOuts: string
  readonly logout: string
  readonly asksConsent: boolean
  readonly isBound: boolean
  readonly isPushed: boolean
  /** It may send a nonce instead of a PKCE challenge. */
  readonly isWithoutPkce: boolean
  readonly isEs256: boolean
  /** JSON. */
  readonly keys: string
  readonly keysAt: string
  readonly isDisabled: boolean
  /** Of the saved application that is being edited, to notice changes by another person; `''` for a new one. */
  readonly etag: string
}

// Object.keys loses the type of the keys.
/** Roles that an application can have. */
export const roleNames = (Object.keys(roles) as Role[]).filter((one) => one !== 'holder')
/** Scopes that an application of an organisation can have. */
export const scopeNames = (Object.keys(scopes) as Scope[]).filter((one) => one !== 'platform:admin')

/** The form of a new application. */
export const blank: Draft = {
  name: '',
  kind: 'service',
  roles: [],
  scopes: [],
  grants: [],
  redirects: '',
  signOuts: '',
  logout: '',
  asksConsent: true,
  isBound: false,
  isPushed: false,
  keys: '',
  keysAt: '',
  isDisabled: false,
  etag: '',
  isWithoutPkce: false,
  isEs256: false,
}

/** Returns the form of an application. */
export function savedDraft(saved: Application, etag: string): Draft {
  return {
    name: saved.name ?? saved.clientId,
    kind: saved.isPublic ? 'app' : 'service',
    etag,
    roles: saved.roles,
    scopes: saved.scopes,
    grants: saved.grantTypes,
    redirects: saved.redirectUris.join('\n'),
    signOuts: saved.postLogoutRedirectUris.join('\n'),
    logout: saved.backchannelLogoutUri ?? '',
    asksConsent: saved.asksConsent,
    isBound: saved.dpopRequired,
    isPushed: saved.parRequired,
    keysAt: saved.jwksUri ?? '',
    isDisabled: saved.disabled,
    isWithoutPkce: !saved.pkceRequired,
    isEs256: saved.idTokenSignedResponseAlg === 'ES256',
    keys: saved.jwks === null ? '' : JSON.stringify(saved.jwks, null, 2),
  }
}

/** Returns what was typed. */
export function readDraft(fields: Fields): Draft {
  const text = (name: string) => typed(fields, name).replaceAll('\r\n', '\n')
  const isOn = (name: string) => text(name) === '1'
  return {
    name: text('name'),
    kind: text('kind') === 'app' ? 'app' : 'service',
    etag: text('etag'),
    roles: typedAll(fields, 'roles'),
    scopes: typedAll(fields, 'scopes'),
    grants: typedAll(fields, 'grants'),
    redirects: text('redirects'),
    signOuts: text('signOuts'),
    logout: text('logout'),
    asksConsent: isOn('consent'),
    isBound: isOn('dpop'),
    isPushed: isOn('par'),
    isWithoutPkce: isOn('noPkce'),
    isEs256: isOn('es256'),
    keys: text('keys'),
    keysAt: text('keysAt'),
    isDisabled: isOn('disabled'),
  }
}

/** Whether something of what is seldom changed is set. */
export function isConfigured({ kind, grants, redirects, ...draft }: Draft): boolean {
  const texts = [draft.signOuts, draft.logout, draft.keys, draft.keysAt]
  const usual = grantsFor({ kind, redirects })
  const hasOtherGrants = grants.length > 0 && !isSame(grants, usual)
  const seldom = [draft.isBound, draft.isPushed, draft.isWithoutPkce, draft.isEs256, !draft.asksConsent]
  const ticks = [...seldom, draft.scopes.length > 0, hasOtherGrants]
  return ticks.includes(true) || texts.some((one) => one !== '')
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** What an application is allowed if nothing is chosen: a service signs people in only where it has an address for their return. */
function grantsFor({ kind, redirects }: Pick<Draft, 'kind' | 'redirects'>): readonly string[] {
  if (kind === 'app') return ['authorization_code', 'refresh_token']
  return redirects === ''
    ? ['client_credentials', EXCHANGE]
    : ['authorization_code', 'refresh_token', 'client_credentials']
}

function linesOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((one) => one !== '')
}

/** Returns the keys of a text: a set, or a single one. @returns null if it is neither */
export function keysIn(text: string): Json {
  try {
    const value = parseJson(text)
    if (!isJsonObject(value)) return null
    return value.keys === undefined ? { keys: [value] } : value
  } catch {
    return null
  }
}

/** The members of an application as the form says them. */
function membersOf(draft: Draft): Readonly<Record<string, unknown>> {
  const text = (one: string) => (one === '' ? null : one)
  return {
    name: draft.name,
    roles: draft.roles,
    scopes: draft.scopes,
    redirectUris: linesOf(draft.redirects),
    grantTypes: draft.grants.length === 0 ? grantsFor(draft) : draft.grants,
    postLogoutRedirectUris: linesOf(draft.signOuts),
    backchannelLogoutUri: text(draft.logout),
    asksConsent: draft.asksConsent,
    dpopRequired: draft.isBound,
    parRequired: draft.isPushed,
    pkceRequired: !draft.isWithoutPkce,
    idTokenSignedResponseAlg: draft.isEs256 ? 'ES256' : 'RS256',
    jwks: draft.keys === '' ? null : keysIn(draft.keys),
    jwksUri: text(draft.keysAt),
    disabled: draft.isDisabled,
  }
}

/** Returns the body of a new application. */
export function newBody(draft: Draft): GivenBody<typeof clients.create> {
  const members = Object.entries(membersOf(draft)).filter(([, value]) => value !== null)
  // A new application has a name; what is null is not stated.
  return { ...Object.fromEntries(members), name: draft.name, isPublic: draft.kind === 'app' }
}

/** Returns the members that differ: what the person left alone is not sent, so that it cannot be refused. */
export function changesOf(draft: Draft, saved: Draft): GivenBody<typeof clients.change> {
  const before = membersOf(saved)
  const changed = Object.entries(membersOf(draft)).filter(([name, value]) => !isSame(value, before[name]))
  return Object.fromEntries(changed)
}

/** The order of a list does not count. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
  return text(one) === text(other)
}
