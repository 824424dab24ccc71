import assert from 'node:assert/strict'
import type { TenantId } from '../../../caller.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import type { Bootstrap, IdentityProviderEntry, UserEntry } from '../../../directory/bootstrap/bootstrap-file.ts'
import { findTenant } from '../../../directory/tenants/find-tenant.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import type { Log, Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import { applyIdentityProviders } from '../../access/apply-identity-providers.ts'
import { beginProviderSignIn, finishProviderSignIn } from '../providers/sign-in-by-provider.ts'
import type { OpenidProvider } from './openid-provider.ts'
import { aBrowser, type Servers } from './person.ts'

/** `cookieHeader`: what the browser sends as it begins. */
type About = {
  readonly slug: string
  readonly provider?: string
  readonly platform?: Platform
  readonly cookieHeader?: string
}

/** Tenants whose people sign in at an OpenID provider: they begin at one server and end at the other. */
export function atProvider(op: OpenidProvider, servers: () => Servers) {
  const entry: IdentityProviderEntry = {
    name: 'school',
    displayName: 'School account',
    issuer: op.issuer,
    clientId: 'chirograph',
    clientSecret: op.clientSecret,
    claims: { roles: '/realm_access/roles', externalIdentifier: 'employee_id' },
    roles: { 'chirograph-issuer': ['issuer', 'verifier'], 'chirograph-owner': ['owner'] },
  }
  const aTenant = async (change: Partial<IdentityProviderEntry> = {}, users: readonly UserEntry[] = []) => {
    const { one } = servers()
    const slug = `t${newId().replaceAll('-', '')}`
    const identityProviders = [
      { ...entry, ...change },
      { ...entry, name: 'other' },
    ]
    const file: Bootstrap = { tenants: [{ slug, name: slug, users: [...users], identityProviders }] }
    await applyBootstrap(one, file)
    await applyIdentityProviders(one, file)
    const tenantId = (await findTenant(one, slug))?.id
    assert.ok(tenantId)
    return { slug, tenantId, file }
  }
  const begin = async ({ slug, provider = 'school', platform = servers().one, cookieHeader }: About) => {
    const about = { tenantSlug: slug, provider, loginHint: 'thandi' }
    const where = { path: '/auth/authorize?x=1', ip: '192.0.2.1', cookieHeader }
    const begun = await beginProviderSignIn(platform, about, where)
    assert.ok(begun)
    return { ...begun, cookie: begun.cookies[0] }
  }
  const signIn = async (about: About, person: Record<string, unknown>) => {
    op.person = person
    const { url, cookie } = await begin(about)
    return finishProviderSignIn(servers().two, op.authorize(url), aBrowser(cookie))
  }
  const userOf = ({ tenantId }: { readonly tenantId: TenantId }, username: string) =>
    servers().one.store.single(tenantId, (tx) => getUser(tx, 'username', username))
  return { entry, aTenant, begin, signIn, userOf }
}

/** A person at the provider, whom nobody knows here. */
export const aPerson = (more: Record<string, unknown> = {}) => ({ sub: newId(), ...more })

/** A log that keeps the members of its warnings. */
export function warningsIn(lines: object[]): Log {
  const silent = () => undefined
  const warn = (fields: object) => void lines.push(fields)
  return { debug: silent, info: silent, warn, error: silent }
}
