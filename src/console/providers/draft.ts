import { type Role, roles } from '../../caller.ts'
import type { GivenBody } from '../../contract/call.ts'
import type { identityProviders } from '../../contract/directory/identity-providers.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import type { Provider } from './provider.ts'

/** A role or group at the provider, and a role here; `''`: none. */
type Mapping = { readonly there: string; readonly here: string }

/** What a form of a provider holds. */
export type Draft = {
  readonly displayName: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** What was typed, which is never shown again; `''`: it stays as it is. */
  readonly secret: string
  /** The secret that is there is removed. */
  readonly hasNoSecret: boolean
  /** Separated by spaces. */
  readonly scopes: string
  readonly username: string
  readonly email: string
  readonly rolesClaim: string
  readonly externalId: string
  readonly mappings: readonly Mapping[]
  readonly createsUsers: boolean
  readonly signsIn: boolean
  readonly acceptsTokens: boolean
  readonly audience: string
  /** Of the saved provider that is being edited, to notice changes by another person; `''` for a new one. */
  readonly etag: string
}

// Object.keys loses the type of the keys.
/** Roles that a provider can give. */
export const roleNames = (Object.keys(roles) as Role[]).filter((one) => one !== 'holder')
/** As many rows as the API takes roles of a provider. */
const ROWS_MAX = 200
const ROWS_MORE = 3
const STANDARD = { username: 'preferred_username', email: 'email' } as const
const empty: readonly Mapping[] = Array.from({ length: ROWS_MORE }, () => ({ there: '', here: '' }))

/** The form of a new provider. */
export const blank: Draft = {
  displayName: '',
  name: '',
  issuer: '',
  clientId: '',
  secret: '',
  hasNoSecret: false,
  etag: '',
  scopes: 'openid profile email',
  ...STANDARD,
  rolesClaim: '',
  externalId: '',
  mappings: empty,
  createsUsers: false,
  signsIn: true,
  acceptsTokens: false,
  audience: '',
}

/** Returns the form of a provider, with empty rows behind its roles. */
export function savedDraft(saved: Provider, etag: string): Draft {
  const { claims, displayName, name, issuer, clientId } = saved
  const mappings = Object.entries(saved.roles).flatMap(([there, given]) =>
    given.length === 0 ? [{ there, here: '' }] : given.map((here) => ({ there, here })),
  )
  return {
    displayName,
    name,
    issuer,
    clientId,
    secret: '',
    hasNoSecret: false,
    etag,
    scopes: saved.scopes.join(' '),
    username: claims.username ?? '',
    email: claims.email ?? '',
    rolesClaim: claims.roles ?? '',
    externalId: claims.externalIdentifier ?? '',
    mappings: [...mappings, ...empty],
    createsUsers: saved.createsUsers,
    signsIn: saved.signIn,
    acceptsTokens: saved.acceptTokens,
    audience: saved.audience ?? '',
  }
}

/** Returns what was typed. */
export function readDraft(fields: Fields): Draft {
  const text = (name: string) => typed(fields, name)
  const isOn = (name: string) => text(name) === '1'
  const rows = Math.min(ROWS_MAX, Number.parseInt(text('rows'), 10) || 0)
  return {
    displayName: text('displayName'),
    name: text('name'),
    issuer: text('issuer'),
    clientId: text('clientId'),
    secret: text('secret'),
    hasNoSecret: isOn('noSecret'),
    scopes: text('scopes'),
    username: text('username'),
    email: text('email'),
    rolesClaim: text('rolesClaim'),
    externalId: text('externalId'),
    mappings: Array.from({ length: rows }, (_, at) => ({ there: text(`there-${at}`), here: text(`here-${at}`) })),
    createsUsers: isOn('createsUsers'),
    signsIn: isOn('signIn'),
    acceptsTokens: isOn('tokens'),
    audience: text('audience'),
    etag: text('etag'),
  }
}

/** Returns the form with more rows for roles. */
export function withMoreRows(draft: Draft): Draft {
  return { ...draft, mappings: [...draft.mappings, ...empty].slice(0, ROWS_MAX) }
}

/** Whether something of what is seldom changed is set. */
export function isConfigured(draft: Draft): boolean {
  const { scopes, username, email, externalId, signsIn, acceptsTokens, audience } = draft
  const own = [scopes !== blank.scopes, username !== blank.username, email !== blank.email, externalId !== '']
  return [...own, !signsIn, acceptsTokens, audience !== ''].includes(true)
}

/** The roles there with those here, in the order of the rows. Several rows of one role there give several. */
export function rolesIn({ mappings }: Draft): Readonly<Record<string, readonly string[]>> {
  const named = mappings.filter(({ there }) => there !== '')
  const groups = Map.groupBy(named, ({ there }) => there)
  const given = [...groups].map(([there, rows]) => {
    const here = rows.map((one) => one.here).filter((one) => one !== '')
    return [there, [...new Set(here)]] as const
  })
  return Object.fromEntries(given)
}

/** The members of a provider as the form says them, without the secret. */
function membersOf(draft: Draft) {
  const text = (one: string) => (one === '' ? null : one)
  const { displayName, issuer, clientId, createsUsers, signsIn, acceptsTokens } = draft
  return {
    displayName,
    issuer,
    clientId,
    scopes: draft.scopes.split(/\s+/).filter(Boolean),
    claims: {
      username: draft.username || STANDARD.username,
      email: draft.email || STANDARD.email,
      roles: text(draft.rolesClaim),
      externalIdentifier: text(draft.externalId),
    },
    roles: rolesIn(draft),
    createsUsers,
    signIn: signsIn,
    acceptTokens: acceptsTokens,
    audience: text(draft.audience),
  }
}

/** Returns the body of a new provider. */
export function newBody(draft: Draft): GivenBody<typeof identityProviders.create> {
  return { name: draft.name, ...membersOf(draft), clientSecret: draft.secret === '' ? null : draft.secret }
}

/** Returns the members that differ: what the person left alone is not sent, so that it cannot be refused. */
export function changesOf(draft: Draft, saved: Draft): GivenBody<typeof identityProviders.change> {
  const before = new Map<string, unknown>(Object.entries(membersOf(saved)))
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const changed = Object.entries(membersOf(draft)).filter(([name, value]) => !isSame(value, before.get(name)))
  const secret = draft.secret !== '' ? { clientSecret: draft.secret } : draft.hasNoSecret ? { clientSecret: null } : {}
  return { ...Object.fromEntries(changed), ...secret }
}
