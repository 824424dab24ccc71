import { Type } from 'typebox'
import { type ListRequest, listPage, PageMeta } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import { describeMe } from './describe-me.ts'
import { changeProvider, createProvider, getProvider, removeProvider } from './manage-providers.ts'
import { listManagedProviders } from './managed-provider-store.ts'
import { MeReply, ProviderBody, ProviderChangeBody, ProviderListQuery, ProviderReply, showProvider } from './schemas.ts'

const common = { group: 'onboarding', tag: 'identity providers', scope: 'tenant:admin', status: 200 } as const
const ofProvider = { ...common, path: '/identity-providers/{id}', reply: ProviderReply } as const

const listRoute = route({
  ...common,
  method: 'GET',
  path: '/identity-providers',
  summary: 'Lists the external OpenID providers of the tenant.',
  query: ProviderListQuery,
  reply: Type.Array(ProviderReply),
  meta: PageMeta,
  faults: [],
  handle: ({ platform, caller, query, href }) => {
    const read = (list: ListRequest) => platform.store.single(caller.tenantId, (tx) => listManagedProviders(tx, list))
    return listPage({ query, href }, read, showProvider)
  },
})

const createRoute = route({
  ...common,
  method: 'POST',
  path: '/identity-providers',
  summary:
    'Adds an external OpenID provider: people sign in at it, or its access tokens are accepted by this API, or both.',
  body: ProviderBody,
  status: 201,
  reply: ProviderReply,
  faults: ['role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getProvider(platform, caller, id)
    return answer(showProvider(await once(operation, find, (id) => createProvider(platform, caller, body, id))))
  },
})

const getRoute = route({
  ...ofProvider,
  method: 'GET',
  summary: 'Reads an external OpenID provider.',
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    answer(showProvider(await getProvider(platform, caller, knownId(params.id)))),
})

const changeRoute = route({
  ...ofProvider,
  method: 'PATCH',
  summary: 'Changes an external OpenID provider. For its access tokens the change takes effect within about a minute.',
  body: ProviderChangeBody,
  faults: ['resource.unknown', 'role.above_caller', 'state.conflict'],
  handle: async ({ platform, caller, params, body }) =>
    answer(showProvider(await changeProvider(platform, caller, knownId(params.id), body))),
})

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
