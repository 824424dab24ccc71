import { routeGroup } from '../../api/route-group.ts'
import type { Caller } from '../../caller.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import { describeMe } from './describe-me.ts'
import { providerRedirectUri } from './identity-provider.ts'
import { changeProvider, createProvider, getProvider, issuerViolations, removeProvider } from './manage-providers.ts'
import { listManagedProviders, type ManagedProvider } from './managed-provider-store.ts'
import { MeReply, ProviderBody, ProviderChangeBody, ProviderListQuery, ProviderReply, showProvider } from './schemas.ts'

const common = { group: 'onboarding', tag: 'identity providers', scope: 'tenant:admin', status: 200 } as const
const ofProvider = { ...common, path: '/identity-providers/{id}', reply: ProviderReply } as const

const listRoute = routeGroup({ ...common, path: '/identity-providers', reply: ProviderReply }).list('', {
  summary: 'Lists the external OpenID providers of the tenant.',
  query: ProviderListQuery,
  read: ({ platform, caller }, list) => platform.store.single(caller.tenantId, (tx) => listManagedProviders(tx, list)),
  show: (one, { platform, caller }) => show(platform, caller, one),
})

const createRoute = route({
  ...common,
  method: 'POST',
  path: '/identity-providers',
  summary:
    'Adds an external OpenID provider: people sign in at it, or its access tokens are accepted by this API, or both.',
  body: ProviderBody,
  rules: issuerViolations,
  status: 201,
  reply: ProviderReply,
  replyHeaders: ['ETag'],
  faults: ['role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getProvider(platform, caller, id)
    const provider = await once(operation, find, (id) => createProvider(platform, caller, body, id))
    return tagged(platform, caller, provider)
  },
})

const getRoute = route({
  ...ofProvider,
  method: 'GET',
  summary: 'Reads an external OpenID provider.',
  replyHeaders: ['ETag'],
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    tagged(platform, caller, await getProvider(platform, caller, knownId(params.id))),
})

const changeRoute = route({
  ...ofProvider,
  method: 'PATCH',
  summary: 'Changes an external OpenID provider. For its access tokens the change takes effect within about a minute.',
  body: ProviderChangeBody,
  rules: issuerViolations,
  ifMatch: true,
  replyHeaders: ['ETag'],
  faults: ['resource.unknown', 'resource.changed', 'role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: Tagged) => isSame(ifMatch, tagOf(now))
    return tagged(platform, caller, await changeProvider(platform, caller, knownId(params.id), body, isExpected))
  },
})

type Tagged = Omit<ManagedProvider, 'hasClientSecret' | 'createdAt'>

function tagged(platform: Platform, caller: Caller, provider: ManagedProvider) {
  return answer(show(platform, caller, provider), { headers: { etag: tagOf(provider) } })
}

function show({ urls }: Platform, { tenantSlug }: Caller, provider: ManagedProvider) {
  return showProvider(provider, providerRedirectUri(urls.publicUrl, tenantSlug, provider.name))
}

/** The time tells apart what only differs in the secret. */
function tagOf({
  id,
  updatedAt,
  displayName,
  issuer,
  clientId,
  scopes,
  claims,
  roles,
  audience,
  ...uses
}: Tagged): string {
  const { createsUsers, signIn, acceptTokens, namesPeople } = uses
  const texts = [id, updatedAt, displayName, issuer, clientId, scopes, claims, roles, audience]
  return entityTagOf(JSON.stringify([...texts, createsUsers, signIn, acceptTokens, namesPeople]))
}

const deleteRoute = route({
  ...common,
  method: 'DELETE',
  path: '/identity-providers/{id}',
  summary: 'Deletes an external OpenID provider. Its access tokens are refused within about a minute.',
  status: 204,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    await removeProvider(platform, caller, knownId(params.id))
    return answer(undefined)
  },
})

const meRoute = route({
  group: 'onboarding',
  method: 'GET',
  path: '/me',
  summary: 'Returns the caller, its organisation, roles and scopes.',
  scope: null,
  status: 200,
  reply: MeReply,
  faults: [],
  handle: async ({ platform, caller }) => answer(await describeMe(platform, caller)),
})

/** Identity providers, and the caller itself, in our API. */
export const accessRoutes: readonly Route[] = [listRoute, createRoute, getRoute, changeRoute, deleteRoute, meRoute]
